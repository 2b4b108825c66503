/** The JSON of a server, a user, a backup, a schedule and a variable as Pterodactyl 1.11 sends it; a test may replace each field. */

import type * as demo from '../../../server/panel/demo/panel.ts';

export interface UserAttributes {
  id: number;
  external_id: string | null;
  email: string;
  username?: string;
  first_name?: string;
  last_name?: string;
  root_admin?: boolean;
}

export interface ServerAttributes extends demo.ServerAttributes {
  node: number;
  nest: number;
  suspended: boolean;
  relationships: { allocations: { data: { attributes: { port: number } }[] } };
}

interface AllocationAttributes {
  id: number;
  ip: string;
  alias: string | null;
  port: number;
}

export const allocationsOf = (...allocations: AllocationAttributes[]) => ({
  allocations: {
    object: 'list',
    data: allocations.map((attributes) => ({
      object: 'allocation',
      attributes: { notes: 'secret-note', assigned: true, ...attributes },
    })),
  },
});

export function panelServer(overrides: Record<string, unknown> = {}) {
  return {
    id: 5,
    external_id: null,
    uuid: '1a7ce997-259b-452e-8b4e-cecc464142ca',
    identifier: '1a7ce997',
    name: 'Wuhu Island',
    description: 'Matt from Wii Sports',
    status: null,
    suspended: false,
    limits: { memory: 512, swap: 0, disk: 200, io: 500, cpu: 0, threads: null, oom_disabled: true },
    feature_limits: { databases: 5, allocations: 5, backups: 2 },
    user: 1,
    node: 1,
    allocation: 11,
    nest: 1,
    egg: 5,
    // The server's `allocation` is the second of these.
    relationships: allocationsOf(
      { id: 10, ip: '203.0.113.7', alias: null, port: 25_566 },
      { id: 11, ip: '203.0.113.7', alias: 'play.host.example', port: 25_565 },
    ),
    container: {
      startup_command: 'java -jar {{SERVER_JARFILE}}',
      image: 'ghcr.io/images/java:17',
      installed: 1,
      environment: { RCON_PASSWORD: 'secret-of-the-server' } as Record<string, string>,
    },
    created_at: '2020-06-13T04:20:53+00:00',
    updated_at: '2020-06-13T04:21:53+00:00',
    ...overrides,
  };
}

export const panelBackup = (overrides: Record<string, unknown> = {}) => ({
  uuid: '904df120-a66f-4b9d-8f30-2c1b7f8c0d3f',
  name: 'Before the update',
  ignored_files: ['*.log'],
  checksum: 'sha1:0d8f9e0a' as string | null,
  bytes: 123_456,
  is_successful: true,
  is_locked: false,
  created_at: '2026-05-01T10:00:00+00:00',
  completed_at: '2026-05-01T10:01:00+00:00' as string | null,
  ...overrides,
});

export const panelVariable = (overrides: Partial<demo.VariableAttributes> = {}): demo.VariableAttributes => ({
  name: 'Minecraft version',
  description: 'The version to install.',
  env_variable: 'MINECRAFT_VERSION',
  default_value: 'latest',
  server_value: '1.21.4',
  is_editable: true,
  rules: 'required|string|max:20',
  ...overrides,
});

const jarRules = 'required|regex:/^([\\w\\d._-]+)(\\.jar)$/';

/** A variable of every kind, one without a value of the server, and one that is read-only. */
export const panelStartup = (): demo.Startup => ({
  variables: [
    panelVariable(),
    panelVariable({ env_variable: 'SERVER_JARFILE', server_value: 'server.jar', rules: jarRules }),
    panelVariable({ env_variable: 'LEVEL_SEED', ...unset, rules: 'nullable|string|max:64' }),
    panelVariable({
      env_variable: 'DIFFICULTY',
      server_value: 'easy',
      rules: 'required|in:peaceful,easy,hard',
    }),
    panelVariable({ env_variable: 'WHITELIST', server_value: '1', rules: 'required|boolean' }),
    panelVariable({
      env_variable: 'MAX_PLAYERS',
      server_value: '20',
      rules: 'required|integer|between:1,200',
    }),
    panelVariable({ env_variable: 'DECAY', server_value: '0.5', rules: 'required|numeric|min:0|max:10' }),
    panelVariable({
      env_variable: 'PASSWORD',
      server_value: 'variable-secret',
      rules: 'nullable|string|min:5',
    }),
    panelVariable({ env_variable: 'SERVER_TYPE', server_value: 'vanilla', is_editable: false }),
  ],
  images: { 'Java 17': 'ghcr.io/images/java:17', 'Java 21': 'ghcr.io/images/java:21' },
});

const unset = { server_value: null, default_value: '' };

export const panelTask = (overrides: Record<string, unknown> = {}) => ({
  id: 1,
  action: 'backup',
  payload: '',
  time_offset: 0,
  is_queued: false,
  continue_on_failure: false,
  ...overrides,
});

/** With its tasks, which the panel sends among its relationships. */
export const panelSchedule = (overrides: Record<string, unknown> = {}) => ({
  id: 1,
  name: 'Nightly backup',
  cron: { minute: '30', hour: '4', day_of_month: '*', month: '*', day_of_week: '*' },
  is_active: true,
  is_processing: false,
  only_when_online: false,
  last_run_at: null as string | null,
  created_at: '2026-05-01T10:00:00+00:00',
  updated_at: '2026-05-01T10:00:00+00:00',
  tasks: [panelTask()],
  ...overrides,
});
