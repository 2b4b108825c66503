/** The interface to the recent usage of a server; server/panel/samples.ts implements it. */
import type { OwnedServer, PanelResources } from './panel-port.ts';

export interface Sample extends Pick<PanelResources, 'state' | 'cpuPercent' | 'memoryBytes'> {
  /** When it was measured, in milliseconds since 1970. */
  at: number;
  playersOnline: number | null;
}

export interface SamplesPort {
  /** The last hour, oldest first, as far as this process has read the server; makes no call. */
  list(server: OwnedServer): readonly Sample[];
}
