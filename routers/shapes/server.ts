/** Game servers, and the power signals one may send them (contract, sections 2 and 4). */
import { z } from 'zod';
import { type PanelServer, type PowerSignal, powerSignals } from '../ports.ts';
import { pathName } from './text.ts';

const amount = z.number().nullable();

const exampleServer = {
  id: 5,
  uuid: '1a7ce997-259b-452e-8b4e-cecc464142ca',
  identifier: '1a7ce997',
  name: 'Survival with friends',
  description: 'Our world since 2020.',
  type: 'pterodactyl',
  is_suspended: false,
  limits: { memory: 6144, swap: 0, disk: 20_480, io: 500, cpu: 200, threads: null, oom_disabled: false },
  feature_limits: { databases: 1, allocations: 2, backups: 3 },
  panel_url: 'https://panel.gamehost.example/server/1a7ce997',
  created_at: '2020-06-13T04:20:53+00:00',
  updated_at: '2026-11-21T09:30:00+00:00',
};

export const ServerLimits = z
  .object({
    memory: amount.describe('MiB; 0 means unlimited.'),
    swap: amount.describe('MiB; -1 means unlimited.'),
    disk: amount.describe('MiB; 0 means unlimited.'),
    io: amount.describe('Weight of block I/O, 10 to 1000.'),
    cpu: amount.describe('Percent of one core; 0 means unlimited.'),
    threads: z.string().nullable().describe('The cores it may use, such as 0-1,3; null means any.'),
    oom_disabled: z.boolean().nullable().describe('Whether the out-of-memory killer is off.'),
  })
  .meta({ title: 'ServerLimits', description: 'Resources the server may use.' });

export const ServerFeatureLimits = z
  .object({ databases: amount, allocations: amount, backups: amount })
  .meta({
    title: 'ServerFeatureLimits',
    description: 'How many of each the owner may create; null where the panel names no limit.',
  });

export const Server = z
  .object({
    id: z.int(),
    uuid: z.string(),
    identifier: z.string().describe('The short UUID that names the server in the power endpoint.'),
    name: z.string(),
    description: z.string(),
    type: z.string().describe('The kind of provisioning panel behind the server, such as pterodactyl.'),
    is_suspended: z.boolean(),
    limits: ServerLimits,
    feature_limits: ServerFeatureLimits,
    panel_url: z.string().nullable().describe('Where the owner manages the server in a browser.'),
    created_at: z.string().nullable().describe('ISO 8601 with offset.'),
    updated_at: z.string().nullable().describe('ISO 8601 with offset.'),
  })
  .meta({ title: 'Server', examples: [exampleServer] });

const Signal = z.enum(powerSignals, {
  error: ({ input }) => (input === undefined ? 'is required' : signalRule(input)),
});

const signalRule = (input: unknown) =>
  `must be one of ${powerSignals.join(', ')}${input === 'kill' ? '; kill is not permitted' : ''}`;

export const PowerRequest = z
  .strictObject({
    server_identifier: pathName().describe(
      "The server's identifier (short UUID), as the server list shows it.",
    ),
    signal: Signal.describe('What to ask of the server. kill is not permitted.'),
  })
  .meta({ title: 'PowerRequest', examples: [{ server_identifier: '1a7ce997', signal: 'restart' }] });

export const PowerResult = z
  .object({
    server: z.string().describe("The server's identifier."),
    signal: z.enum(powerSignals),
    status: z
      .literal('accepted')
      .describe('The panel took the signal; it does not wait for the server to follow.'),
  })
  .meta({
    title: 'PowerResult',
    examples: [{ server: '1a7ce997', signal: 'restart', status: 'accepted' }],
  });

export const presentServer = (server: PanelServer, kind: string): z.infer<typeof Server> => ({
  id: server.id,
  uuid: server.uuid,
  identifier: server.identifier,
  name: server.name,
  description: server.description,
  type: kind,
  is_suspended: server.isSuspended,
  limits: presentLimits(server.limits),
  feature_limits: server.featureLimits,
  panel_url: server.panelUrl,
  created_at: server.createdAt,
  updated_at: server.updatedAt,
});

const presentLimits = ({ oomDisabled, ...limits }: PanelServer['limits']): z.infer<typeof ServerLimits> => ({
  ...limits,
  oom_disabled: oomDisabled,
});

export const presentPower = (server: string, signal: PowerSignal): z.infer<typeof PowerResult> => ({
  server,
  signal,
  status: 'accepted',
});
