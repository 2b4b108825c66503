/** Wire schemas for the live state and usage of one server, and the states of all. */
import { z } from 'zod';
import { pageSizeMax } from '../../models/bounds.ts';
import { type PanelResources, type PanelServer, runStates } from '../panel-port.ts';
import type { PlayersNow } from '../players-port.ts';
import { dateTime, exampleServerId, integer, openEnum, presentMoment } from '../schemas/common.ts';
import { createPick } from '../schemas/pick.ts';

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

export const ServerState = openEnum('ServerState', [...runStates, 'unknown']).describe(
  'unknown: the machine did not respond, the server is being installed, or similar.',
);

const reason = z.string().nullable().describe('Why the state is unknown, in a sentence; otherwise null.');
const measured_at = dateTime.describe(
  'When the figures were measured. If they come from a cache of the panel, the earliest possible time.',
);

const ServerResources = z
  .object({
    state: ServerState,
    reason,
    memory_bytes: amount.describe('Memory in use; null if unknown.'),
    cpu_percent: amount.describe(
      'CPU use in percent of one core, so 250 means two and a half cores; null if unknown.',
    ),
    disk_bytes: amount.describe('Disk space in use; null if unknown.'),
    network_rx_bytes: amount.describe('Received since the server started; null if unknown.'),
    network_tx_bytes: amount.describe('Sent since the server started; null if unknown.'),
    uptime_ms: amount.describe('Time since the server started; null if unknown.'),
    measured_at,
  })
  .meta({
    title: 'ServerResources',
    description: 'The state of the server, and what it uses now.',
    examples: [exampleResources],
  });

export const ResourcesResult = z.object({ resources: ServerResources });

const pickResources = createPick(ServerResources);

export const presentResources = (resources: PanelResources): z.infer<typeof ResourcesResult> => ({
  resources: { ...pickResources(resources), measured_at: presentMoment(new Date(resources.measuredAt)) },
});

export const StatesQuery = z
  .strictObject({
    limit: integer(1, pageSizeMax).default(pageSizeMax).describe('How many to return.'),
    after: z
      .string()
      .min(1)
      .max(100)
      .describe('The identifier of the last server on the previous page.')
      .optional(),
    figures: z.boolean().default(false).describe('Whether to include usage and players.'),
  })
  .meta({ title: 'StatesQuery', examples: [{ limit: 100 }] });

const onlyWithFigures = 'Present only with `figures=true`; null if unknown.';

const figure = (measure: string) => amount.optional().describe(`${measure}. ${onlyWithFigures}`);

const players = (count: string) => z.int().nullable().optional().describe(`${count}. ${onlyWithFigures}`);

const figures = {
  memory_bytes: figure('Memory in use'),
  cpu_percent: figure('CPU use in percent of one core'),
  disk_bytes: figure('Disk space in use'),
  uptime_ms: figure('Time since the server started'),
  players_online: players('How many players are online, without bots'),
  players_max: players('How many may play at once'),
};

const StateOfServer = z
  .object({
    server: z.string().describe('The identifier of the server.'),
    name: z.string().describe('The name of the server.'),
    state: ServerState,
    reason,
    ...figures,
    measured_at,
  })
  .meta({
    title: 'StateOfServer',
    description: 'Whether one server is running, with its usage and players if you request figures.',
  });

export const StatesResult = z
  .object({
    states: z.array(StateOfServer).describe('In the order of the list of servers.'),
    summary: z
      .object({
        total: z.int().describe('How many servers the owner has.'),
        running: z.int().describe('How many on this page are running.'),
      })
      .meta({ title: 'StatesSummary', description: 'How many there are, and how many are running.' }),
  })
  .meta({
    title: 'StatesResult',
    description: 'A page of the states of the servers.',
    examples: [
      {
        states: [
          {
            server: exampleServerId,
            name: 'Survival with friends',
            state: 'running',
            reason: null,
            measured_at: '2026-11-21T09:30:00.000Z',
          },
        ],
        summary: { total: 1, running: 1 },
      },
    ],
  });

const pickFigures = createPick(z.object(figures));

interface ServerStates {
  servers: readonly PanelServer[];
  states: readonly PanelResources[];
  /** In the order of `servers`. Null: the response has no figures, only states. */
  players: readonly (PlayersNow | null)[] | null;
  total: number;
}

export const presentStates = ({
  servers,
  states,
  players,
  total,
}: ServerStates): z.infer<typeof StatesResult> => ({
  states: states.map((resources, index) => ({
    server: servers[index]?.identifier ?? '',
    name: servers[index]?.name ?? '',
    state: resources.state,
    reason: resources.reason,
    ...(players && pickFigures({ ...resources, ...countsOf(players[index]) })),
    measured_at: presentMoment(new Date(resources.measuredAt)),
  })),
  summary: { total, running: states.filter(({ state }) => state === 'running').length },
});

const countsOf = (players: PlayersNow | null | undefined) => ({
  playersOnline: players?.online ?? null,
  playersMax: players?.max ?? null,
});
