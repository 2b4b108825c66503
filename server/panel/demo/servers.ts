/** The game servers of the demo panel: four of the demo user, one of another user. */

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

export interface DemoServer {
  id: number;
  userId: number;
  uuid: string;
  identifier: string;
  name: string;
  description: string;
  isSuspended: boolean;
  /** When the demo panel starts. */
  isRunning: boolean;
  /** MiB. */
  memory: number;
  /** MiB. */
  disk: number;
  /** Percent of one core. */
  cpu: number;
  /** Where players connect; the next port is the server's too. */
  port: number;
  startup: string;
  /** Contains secrets, as a real one does. */
  environment: Record<string, string>;
}

export const demoServers: readonly DemoServer[] = [
  {
    id: 1,
    userId: demoPanelUserId,
    uuid: `${demoIdentifiers.minecraft}-4b0d-4c57-9a43-5d2be7f09a11`,
    identifier: demoIdentifiers.minecraft,
    name: 'Hearthstead SMP',
    description: 'Minecraft: survival with friends, whitelist on.',
    isSuspended: false,
    isRunning: true,
    memory: 6144,
    disk: 20480,
    cpu: 300,
    port: 25_565,
    startup: 'java -Xms128M -Xmx6144M -jar server.jar',
    environment: { SERVER_JARFILE: 'server.jar', RCON_PASSWORD: 'demo-rcon-minecraft' },
  },
  {
    id: 2,
    userId: demoPanelUserId,
    uuid: `${demoIdentifiers.valheim}-71ce-4f8e-b5a6-0e63c81f2d75`,
    identifier: demoIdentifiers.valheim,
    name: 'Ten Longships',
    description: 'Valheim: crossplay, a backup every night.',
    isSuspended: false,
    isRunning: false,
    memory: 4096,
    disk: 12288,
    cpu: 200,
    port: 2_456,
    startup: './valheim_server.x86_64 -nographics -batchmode',
    environment: { WORLD: 'Midgard', PASSWORD: 'demo-valheim-password' },
  },
  {
    id: 3,
    userId: demoPanelUserId,
    uuid: `${demoIdentifiers.rust}-e3d1-4a6f-8c02-9f417ad6b38e`,
    identifier: demoIdentifiers.rust,
    name: 'Rusty Weekend',
    description: 'Rust: wiped on the first Thursday of the month.',
    isSuspended: false,
    isRunning: true,
    memory: 16384,
    disk: 40960,
    cpu: 400,
    port: 28_015,
    startup: './RustDedicated -batchmode',
    environment: { HOSTNAME: 'Rusty Weekend', RCON_PASS: 'demo-rcon-rust' },
  },
  {
    id: 4,
    userId: demoPanelUserId,
    uuid: `${demoIdentifiers.suspendedArk}-92a5-4be7-a1d8-c40b7e5f9362`,
    identifier: demoIdentifiers.suspendedArk,
    name: 'The Island, tamed',
    description: 'ARK: suspended until its invoice is paid.',
    isSuspended: true,
    isRunning: false,
    memory: 12288,
    disk: 61440,
    cpu: 400,
    port: 7_777,
    startup: './ShooterGameServer TheIsland?listen',
    environment: { SERVER_MAP: 'TheIsland', ADMIN_PASSWORD: 'demo-ark-admin' },
  },
  {
    id: 5,
    userId: otherDemoPanelUserId,
    uuid: `${demoIdentifiers.foreignFactorio}-0c68-4d2b-9e7f-38a6d4c10b5d`,
    identifier: demoIdentifiers.foreignFactorio,
    name: 'Main Bus',
    description: 'Factorio: the factory must grow.',
    isSuspended: false,
    isRunning: true,
    memory: 2048,
    disk: 8192,
    cpu: 100,
    port: 34_197,
    startup: './bin/x64/factorio --start-server saves/gamesave.zip',
    environment: { SAVE_NAME: 'gamesave', RCON_PASSWORD: 'demo-rcon-factorio' },
  },
];
