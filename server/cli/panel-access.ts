/** The panel that the settings name, for a command, which reports failures itself. */
import type { Config } from '../config.ts';
import { type PanelSettings, toSettings } from '../panel/settings.ts';
import { CommandError } from './command-error.ts';

const silent = { error: () => {}, warn: () => {} };

/** @throws {CommandError} where no panel is configured */
export function openPanelSettings(panel: Config['panel']): PanelSettings {
  if (!panel) throw new CommandError('PANEL_URL is not set, so there is no panel');
  return toSettings({ ...panel, clock: Date.now, log: silent });
}
