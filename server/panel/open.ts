/** Opens the configured panel, or the demo panel when none is configured; both behind the same client. */
import type { Panel } from '../../routers/panel-port.ts';
import { startDemoPanel } from './demo/demo.ts';
import type { PterodactylPanelOptions } from './options.ts';
import { createPterodactylPanel } from './pterodactyl.ts';

type ClientParts = Pick<PterodactylPanelOptions, 'clock' | 'log' | 'onOutcome' | 'traceCall'>;

type PanelConfig = Pick<PterodactylPanelOptions, 'url' | 'kind' | 'applicationKey' | 'clientKey'>;

export interface OpenPanel {
  panel: Panel;
  isDemo: boolean;
  stop(): Promise<void>;
}

export async function openPanel(config: PanelConfig | null, parts: ClientParts): Promise<OpenPanel> {
  if (config) {
    const panel = createPterodactylPanel({ ...config, ...parts });
    return { panel, isDemo: false, stop: async () => {} };
  }
  const { stop, ...demo } = await startDemoPanel({ clock: parts.clock });
  const panel = createPterodactylPanel({ ...demo, kind: 'pterodactyl', ...parts });
  return { panel, isDemo: true, stop };
}
