/** Opens the panel the configuration names, or, where it names none, a demo panel with the same client before it. */
import type { Panel } from '../../routers/ports.ts';
import { startDemoPanel } from './demo.ts';
import type { PterodactylPanelOptions } from './options.ts';
import { createPterodactylPanel } from './pterodactyl.ts';

type Surroundings = Pick<PterodactylPanelOptions, 'clock' | 'log' | 'onOutcome' | 'traceCall'>;

type PanelConfig = Pick<PterodactylPanelOptions, 'url' | 'kind' | 'applicationKey' | 'clientKey'>;

export interface OpenPanel {
  panel: Panel;
  isDemo: boolean;
  stop(): Promise<void>;
}

export async function openPanel(config: PanelConfig | null, surroundings: Surroundings): Promise<OpenPanel> {
  if (config) {
    const panel = createPterodactylPanel({ ...config, ...surroundings });
    return { panel, isDemo: false, stop: async () => {} };
  }
  const { stop, ...demo } = await startDemoPanel({ clock: surroundings.clock });
  const panel = createPterodactylPanel({ ...demo, kind: 'pterodactyl', ...surroundings });
  return { panel, isDemo: true, stop };
}
