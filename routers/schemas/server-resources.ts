/** What a game server does and uses now (contract, part two, section 3). */
import { z } from 'zod';
import { memoizeByIdentity } from '../memoize-by-identity.ts';
import { type PanelResources, runStates } from '../panel-port.ts';
import { dateTime, openEnum, presentMoment } from './common.ts';

const amount = z.number().nullable();

const exampleResources = {
  state: 'running' as const,
  reason: null,
  memory_bytes: 2_147_483_648,
  cpu_percent: 42.5,
  disk_bytes: 5_368_709_120,
  network_rx_bytes: 694_220,
  network_tx_bytes: 337_090,
  uptime_ms: 86_400_000,
  measured_at: '2026-11-21T09:30:00.000Z',
};

const ServerResources = z
  .object({
    state: openEnum('ServerState', [...runStates, 'unknown']).describe(
      'unknown: the machine did not respond, the server is being installed, or similar.',
    ),
    reason: z.string().nullable().describe('Why the state is unknown, in a sentence; null otherwise.'),
    memory_bytes: amount,
    cpu_percent: amount.describe('Percent of one core: 250 means two and a half cores.'),
    disk_bytes: amount,
    network_rx_bytes: amount.describe('Received since the server started.'),
    network_tx_bytes: amount.describe('Sent since the server started.'),
    uptime_ms: amount,
    measured_at: dateTime.describe('When the panel was asked.'),
  })
  .meta({ title: 'ServerResources', examples: [exampleResources] });

export const ResourcesResult = z.object({ resources: ServerResources });

/** The same object for the same measurement, so that its JSON is made once. */
export const presentResources = memoizeByIdentity(
  (resources: PanelResources): z.infer<typeof ResourcesResult> =>
    Object.freeze({
      resources: Object.freeze({
        state: resources.state,
        reason: resources.reason,
        memory_bytes: resources.memoryBytes,
        cpu_percent: resources.cpuPercent,
        disk_bytes: resources.diskBytes,
        network_rx_bytes: resources.networkRxBytes,
        network_tx_bytes: resources.networkTxBytes,
        uptime_ms: resources.uptimeMs,
        measured_at: presentMoment(new Date(resources.measuredAt)),
      }),
    }),
);
