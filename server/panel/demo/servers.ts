/** The game servers of the demo panel: four of the demo user, one of another user. */
import { panelServer, type ServerAttributes } from './attributes.ts';

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

interface DemoServer {
  id: number;
  user: number;
  uuid: string;
  name: string;
  description: string;
  isSuspended?: boolean;
  /** MiB. */
  memory: number;
  /** MiB. */
  disk: number;
  /** Percent of one core. */
  cpu: number;
  /** Where players connect; the next port is the server's too. */
  port: number;
  startup_command: string;
  /** Contains secrets, as a real one does. */
  environment: Record<string, string>;
}

const createdAt = '2026-03-14T18:30:00+00:00';

const demoServer = ({ memory, disk, cpu, isSuspended = false, ...server }: DemoServer): ServerAttributes => {
  const { port, startup_command, environment, ...fields } = server;
  const allocation = (id: number, alias: string | null) => ({
    object: 'allocation',
    attributes: { id, ip: '203.0.113.20', alias, port: port + (id % 10), notes: null, assigned: true },
  });
  const main = fields.id * 10;
  return panelServer({
    ...fields,
    identifier: fields.uuid.slice(0, 8),
    status: isSuspended ? 'suspended' : null,
    suspended: isSuspended,
    limits: { memory, swap: 0, disk, io: 500, cpu, threads: null, oom_disabled: true },
    feature_limits: { databases: 1, allocations: 2, backups: 3 },
    egg: fields.id,
    allocation: main,
    relationships: {
      allocations: {
        object: 'list',
        data: [allocation(main, 'play.demo.example'), allocation(main + 1, null)],
      },
    },
    container: { startup_command, image: 'ghcr.io/pterodactyl/yolks:debian', installed: 1, environment },
    created_at: createdAt,
    updated_at: createdAt,
  });
};

/** Those that run when the demo panel starts. */
export const runningAtStart: readonly string[] = [
  demoIdentifiers.minecraft,
  demoIdentifiers.rust,
  demoIdentifiers.foreignFactorio,
];

const servers: readonly DemoServer[] = [
  {
    id: 1,
    user: demoPanelUserId,
    uuid: `${demoIdentifiers.minecraft}-4b0d-4c57-9a43-5d2be7f09a11`,
    name: 'Hearthstead SMP',
    description: 'Minecraft: survival with friends, whitelist on.',
    memory: 6144,
    disk: 20480,
    cpu: 300,
    port: 25_565,
    startup_command: 'java -Xms128M -Xmx6144M -jar server.jar',
    environment: { SERVER_JARFILE: 'server.jar', RCON_PASSWORD: 'demo-rcon-minecraft' },
  },
  {
    id: 2,
    user: demoPanelUserId,
    uuid: `${demoIdentifiers.valheim}-71ce-4f8e-b5a6-0e63c81f2d75`,
    name: 'Ten Longships',
    description: 'Valheim: crossplay, a backup every night.',
    memory: 4096,
    disk: 12288,
    cpu: 200,
    port: 2_456,
    startup_command: './valheim_server.x86_64 -nographics -batchmode',
    environment: { WORLD: 'Midgard', PASSWORD: 'demo-valheim-password' },
  },
  {
    id: 3,
    user: demoPanelUserId,
    uuid: `${demoIdentifiers.rust}-e3d1-4a6f-8c02-9f417ad6b38e`,
    name: 'Rusty Weekend',
    description: 'Rust: wiped on the first Thursday of the month.',
    memory: 16384,
    disk: 40960,
    cpu: 400,
    port: 28_015,
    startup_command: './RustDedicated -batchmode',
    environment: { HOSTNAME: 'Rusty Weekend', RCON_PASS: 'demo-rcon-rust' },
  },
  {
    id: 4,
    user: demoPanelUserId,
    uuid: `${demoIdentifiers.suspendedArk}-92a5-4be7-a1d8-c40b7e5f9362`,
    name: 'The Island, tamed',
    description: 'ARK: suspended until its invoice is paid.',
    isSuspended: true,
    memory: 12288,
    disk: 61440,
    cpu: 400,
    port: 7_777,
    startup_command: './ShooterGameServer TheIsland?listen',
    environment: { SERVER_MAP: 'TheIsland', ADMIN_PASSWORD: 'demo-ark-admin' },
  },
  {
    id: 5,
    user: otherDemoPanelUserId,
    uuid: `${demoIdentifiers.foreignFactorio}-0c68-4d2b-9e7f-38a6d4c10b5d`,
    name: 'Main Bus',
    description: 'Factorio: the factory must grow.',
    memory: 2048,
    disk: 8192,
    cpu: 100,
    port: 34_197,
    startup_command: './bin/x64/factorio --start-server saves/gamesave.zip',
    environment: { SAVE_NAME: 'gamesave', RCON_PASSWORD: 'demo-rcon-factorio' },
  },
];

/** New at each start, as a panel's state. */
export const createDemoServers = () => servers.map(demoServer);
