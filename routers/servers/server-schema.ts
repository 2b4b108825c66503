/** Wire schemas for game servers, their details, and power signals. */
import { z } from 'zod';
import { type PanelServer, type PowerSignal, powerSignals } from '../panel-port.ts';
import { dateTime, exampleServerId, openEnum, pathName, Summary } from '../schemas/common.ts';
import { createPick } from '../schemas/pick.ts';

const amount = z.number().nullable();

const exampleServer = {
  id: 5,
  uuid: `${exampleServerId}-4b0d-4c57-9a43-5d2be7f09a11`,
  identifier: exampleServerId,
  name: 'Survival with friends',
  description: 'Our world since 2020.',
  type: 'pterodactyl',
  is_suspended: false,
  limits: { memory: 6144, swap: 0, disk: 20_480, io: 500, cpu: 200, threads: null, oom_disabled: false },
  feature_limits: { databases: 1, allocations: 2, backups: 3 },
  panel_url: `https://panel.gamehost.example/server/${exampleServerId}`,
  created_at: '2020-06-13T04:20:53.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
};

const ServerLimits = z
  .object({
    memory: amount.describe('Memory in MiB; 0 means unlimited.'),
    swap: amount.describe('Swap space in MiB; -1 means unlimited.'),
    disk: amount.describe('Disk space in MiB; 0 means unlimited.'),
    io: amount.describe('Weight of block I/O, 10 to 1000.'),
    cpu: amount.describe('Percent of one core; 0 means unlimited.'),
    threads: z.string().nullable().describe('The cores it may use, such as 0-1,3; null means any.'),
    oom_disabled: z.boolean().nullable().describe('Whether the out-of-memory killer is off.'),
  })
  .meta({
    title: 'ServerLimits',
    description: 'The resources that the server may use; null if the panel gives no limit.',
  });

const featureLimit = (things: string) =>
  amount.describe(`How many ${things} the owner may create; null if the panel sets no limit.`);

const ServerFeatureLimits = z
  .object({
    databases: featureLimit('databases'),
    allocations: featureLimit('addresses for players'),
    backups: featureLimit('backups'),
  })
  .meta({ title: 'ServerFeatureLimits', description: 'How many of each the owner may create.' });

export const Server = z
  .object({
    id: z.int().describe("The server's number in the panel. Calls take identifier or uuid instead."),
    uuid: z.string().describe('The full UUID. Paths take it too.'),
    identifier: z.string().describe('The short UUID that names the server in paths.'),
    name: z.string().describe("The server's name in the panel."),
    description: z.string().describe("The server's description in the panel; may be empty."),
    type: z.string().describe('The kind of provisioning panel behind the server, such as pterodactyl.'),
    is_suspended: z.boolean().describe('Whether the host has suspended the server, so that it cannot start.'),
    limits: ServerLimits,
    feature_limits: ServerFeatureLimits,
    panel_url: z.string().nullable().describe('Where the owner manages the server in a browser.'),
    created_at: dateTime
      .nullable()
      .describe('When the host created the server; null if the panel gives none.'),
    updated_at: dateTime
      .nullable()
      .describe('When its data last changed in the panel; null if the panel gives none.'),
  })
  .meta({
    title: 'Server',
    description: 'A game server with its limits. It does not say whether the server is running.',
    examples: [exampleServer],
  });

export const ServerList = z.object({
  servers: z.array(Server).describe('All servers of the user.'),
  summary: Summary,
});

const Allocation = z
  .object({
    ip: z.string().describe('An IPv6 address has no brackets here.'),
    alias: z.string().nullable().describe('A host name to show instead of the IP address; null if none.'),
    port: z.int().describe('The port to connect to at that IP address.'),
    is_default: z.boolean().describe('Whether players connect here by default.'),
  })
  .meta({ title: 'Allocation', description: 'An address of the server: an IP address and a port.' });

const ServerDetail = Server.extend({
  status: z
    .string()
    .nullable()
    .describe(
      "The panel's own word for an unusual condition: installing, install_failed, suspended, restoring_backup and others; null if nothing is unusual. Its resources show whether the server is running.",
    ),
  allocations: z.array(Allocation).describe('Where players connect; empty if the panel lists no address.'),
}).meta({
  title: 'ServerDetail',
  description: 'The limits, addresses and status of the server.',
  examples: [
    {
      ...exampleServer,
      status: null,
      allocations: [{ ip: '203.0.113.7', alias: 'play.gamehost.example', port: 25_565, is_default: true }],
    },
  ],
});

export const ServerDetailResult = z.object({ server: ServerDetail });

export const ServerIdentifier = pathName().describe("The server's identifier or uuid.");

export const ServerPath = z
  .strictObject({ server_identifier: ServerIdentifier })
  .meta({ title: 'ServerPath', examples: [{ server_identifier: exampleServerId }] });

export const serverRefusals = {
  missing: ['Server'],
  upstream_error:
    'The panel is unavailable. Or it refused the request because the server is suspended, being installed, restored or moved: the message says so, and a retry does not help.',
};

export const Signal = z.enum(powerSignals, {
  error: ({ input }) => (input === undefined ? 'is required' : signalRule(input)),
});

const signalRule = (input: unknown) =>
  `must be one of ${powerSignals.join(', ')}${input === 'kill' ? '; kill is not permitted' : ''}`;

export const PowerRequest = z
  .strictObject({
    server_identifier: ServerIdentifier,
    signal: Signal.meta({ title: 'PowerSignal' }).describe('The signal to send; kill is not permitted.'),
  })
  .meta({ title: 'PowerRequest', examples: [{ server_identifier: exampleServerId, signal: 'restart' }] });

export const PowerResult = z
  .object({
    server: z.string().describe('The identifier of the server.'),
    signal: z.enum(powerSignals).meta({ title: 'PowerSignal' }).describe('The signal that was sent.'),
    status: openEnum('PowerStatus', ['accepted']).describe(
      'The panel accepted it; the server may not have acted on the signal yet.',
    ),
  })
  .meta({
    title: 'PowerResult',
    description: 'The signal that the panel accepted.',
    examples: [{ server: exampleServerId, signal: 'restart', status: 'accepted' }],
  });

const pickServer = createPick(Server);
const pickLimits = createPick(ServerLimits);
const pickAllocation = createPick(Allocation);

export const presentServer = (server: PanelServer): z.infer<typeof Server> => ({
  ...pickServer(server),
  type: server.kind,
  limits: pickLimits(server.limits),
});

export const presentServerDetail = (server: PanelServer): z.infer<typeof ServerDetailResult> => ({
  server: {
    ...presentServer(server),
    status: server.status,
    allocations: server.allocations.map(pickAllocation),
  },
});

export const presentPower = (server: string, signal: PowerSignal): z.infer<typeof PowerResult> => ({
  server,
  signal,
  status: 'accepted',
});
