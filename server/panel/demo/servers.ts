/** The game servers of the demo panel: four of the demo user, one of another user. */
import { allocationsOf, panelServer, type ServerAttributes } from './attributes.ts';

/** The demo panel's two users; the first belongs to the service's demo user. */
export const demoPanelUserId = 1;
export const otherDemoPanelUserId = 2;

/** The servers' identifiers. The last is not the demo user's. */
export const demoIdentifiers = {
  minecraft: '8c1f6e2a',
  valheim: 'd94a07b3',
  rust: '27be5c90',
  suspendedArk: '6f30d8c4',
  foreignFactorio: 'b15e93fa',
} as const;

/** Those that run when the demo panel starts. */
export const runningAtStart: readonly string[] = [
  demoIdentifiers.minecraft,
  demoIdentifiers.rust,
  demoIdentifiers.foreignFactorio,
];

interface DemoServer {
  identifier: string;
  name: string;
  description: string;
  /** Memory and disk in MiB, CPU in percent of one core. */
  limits: { memory: number; disk: number; cpu: number };
  /** At a second address; at the first, its game answers on this machine. */
  port: number;
}

const servers: readonly DemoServer[] = [
  {
    identifier: demoIdentifiers.minecraft,
    name: 'Hearthstead SMP',
    description: 'Minecraft: survival with friends, whitelist on.',
    limits: { memory: 6144, disk: 20480, cpu: 300 },
    port: 25_565,
  },
  {
    identifier: demoIdentifiers.valheim,
    name: 'Ten Longships',
    description: 'Valheim: crossplay, a backup every night.',
    limits: { memory: 4096, disk: 12288, cpu: 200 },
    port: 2_456,
  },
  {
    identifier: demoIdentifiers.rust,
    name: 'Rusty Weekend',
    description: 'Rust: wiped on the first Thursday of the month.',
    limits: { memory: 16384, disk: 40960, cpu: 400 },
    port: 28_015,
  },
  {
    identifier: demoIdentifiers.suspendedArk,
    name: 'The Island, tamed',
    description: 'ARK: suspended until its invoice is paid.',
    limits: { memory: 12288, disk: 61440, cpu: 400 },
    port: 7_777,
  },
  {
    identifier: demoIdentifiers.foreignFactorio,
    name: 'Main Bus',
    description: 'Factorio: the factory must grow.',
    limits: { memory: 2048, disk: 8192, cpu: 100 },
    port: 34_197,
  },
];

/** New at each start, as a panel's state. @param portOf where a server's game answers */
export const createDemoServers = (portOf: (identifier: string) => number) =>
  servers.map((server, index) => toServer(server, index + 1, portOf(server.identifier)));

function toServer({ limits, port, ...server }: DemoServer, id: number, gamePort: number): ServerAttributes {
  const isSuspended = server.identifier === demoIdentifiers.suspendedArk;
  const date = '2026-03-14T18:30:00+00:00';
  return panelServer({
    ...server,
    id,
    user: server.identifier === demoIdentifiers.foreignFactorio ? otherDemoPanelUserId : demoPanelUserId,
    uuid: `${server.identifier}-4b0d-4c57-9a43-5d2be7f09a1${id}`,
    status: isSuspended ? 'suspended' : null,
    suspended: isSuspended,
    limits: { ...limits, swap: 0, io: 500, threads: null, oom_disabled: true },
    feature_limits: { databases: 1, allocations: 2, backups: 3 },
    allocation: id * 10,
    relationships: allocationsOf(
      { id: id * 10, ip: '127.0.0.1', alias: 'play.demo.example', port: gamePort },
      { id: id * 10 + 1, ip: '203.0.113.20', alias: null, port },
    ),
    created_at: date,
    updated_at: date,
  });
}
