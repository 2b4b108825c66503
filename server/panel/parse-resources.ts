/** Parses a server's live state; states and figures the API does not know become unknown and null. */
import { z } from 'zod';
import { type PanelResources, runStates } from '../../routers/panel-port.ts';
import { failureTable, PanelFailure } from './failures.ts';

const amount = z.number().nullable().catch(null);

const Stats = z.object({
  attributes: z.object({
    current_state: z.string(),
    resources: z.object({
      memory_bytes: amount,
      cpu_absolute: amount,
      disk_bytes: amount,
      network_rx_bytes: amount,
      network_tx_bytes: amount,
      uptime: amount,
    }),
  }),
});

const noFigures = {
  memoryBytes: null,
  cpuPercent: null,
  diskBytes: null,
  networkRxBytes: null,
  networkTxBytes: null,
  uptimeMs: null,
};

/** The response to `GET /api/client/servers/{identifier}/resources`, frozen. */
export function parseResources(body: unknown, measuredAt: number): PanelResources {
  const stats = Stats.safeParse(body);
  if (!stats.success)
    throw new PanelFailure(body === undefined ? 'unreadable' : 'malformed', {
      reason: z.prettifyError(stats.error),
    });
  const { current_state: word, resources } = stats.data.attributes;
  const state = runStates.find((known) => known === word);
  if (!state) return Object.freeze({ state: 'unknown', reason: reasonFor(word), ...noFigures, measuredAt });
  return Object.freeze({
    state,
    reason: null,
    memoryBytes: resources.memory_bytes,
    cpuPercent: resources.cpu_absolute,
    diskBytes: resources.disk_bytes,
    networkRxBytes: resources.network_rx_bytes,
    networkTxBytes: resources.network_tx_bytes,
    uptimeMs: resources.uptime,
    measuredAt,
  });
}

/** `missing` is Pelican's word where its node did not answer. */
const reasonFor = (word: string) =>
  word === 'missing'
    ? `${failureTable.node.event}.`
    : 'The server is in a state for which this API has no word.';
