/** The game servers of the demo panel: four of the demo user, one of another user. */
import type { BackupAttributes, ScheduleAttributes } from './emulated-panel.ts';

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

function toServer({ limits, port, ...server }: DemoServer, id: number, gamePort: number) {
  const isSuspended = server.identifier === demoIdentifiers.suspendedArk;
  const allocation = id * 10;
  return {
    ...server,
    id,
    external_id: null,
    user: server.identifier === demoIdentifiers.foreignFactorio ? otherDemoPanelUserId : demoPanelUserId,
    node: 1,
    nest: 1,
    uuid: `${server.identifier}-4b0d-4c57-9a43-5d2be7f09a1${id}`,
    status: isSuspended ? 'suspended' : null,
    suspended: isSuspended,
    limits: { ...limits, swap: 0, io: 500, threads: null, oom_disabled: true },
    feature_limits: { databases: 1, allocations: 2, backups: 3 },
    container: { startup_command: 'java -jar server.jar', image: 'ghcr.io/images/java:17' },
    allocation,
    relationships: allocationsOf(
      { id: allocation, ip: '127.0.0.1', alias: 'play.demo.example', port: gamePort },
      { id: allocation + 1, ip: '203.0.113.20', alias: null, port },
    ),
    created_at: startOfDemo,
    updated_at: startOfDemo,
  };
}

const startOfDemo = '2026-03-14T18:30:00+00:00';

interface Allocation {
  id: number;
  ip: string;
  alias: string | null;
  port: number;
}

const allocationsOf = (...allocations: Allocation[]) => ({
  allocations: {
    object: 'list',
    data: allocations.map((allocation) => ({
      object: 'allocation',
      attributes: { ...allocation, notes: null, assigned: true },
    })),
  },
});

export const firstBackup = (): BackupAttributes => ({
  uuid: '904df120-a66f-4b9d-8f30-2c1b7f8c0d3f',
  name: 'Before the update',
  ignored_files: ['*.log'],
  checksum: 'sha1:0d8f9e0a',
  bytes: 123_456,
  is_successful: true,
  is_locked: false,
  created_at: '2026-05-01T10:00:00+00:00',
  completed_at: '2026-05-01T10:01:00+00:00',
});

export const firstSchedule = (): ScheduleAttributes => ({
  id: 1,
  name: 'Nightly backup',
  cron: { minute: '30', hour: '4', day_of_month: '*', month: '*', day_of_week: '*' },
  is_active: true,
  is_processing: false,
  only_when_online: false,
  last_run_at: null,
  created_at: startOfDemo,
  updated_at: startOfDemo,
  tasks: [
    {
      ...{ id: 1, sequence_id: 1, action: 'backup', payload: '', time_offset: 0 },
      ...{ is_queued: false, continue_on_failure: false },
    },
  ],
});
