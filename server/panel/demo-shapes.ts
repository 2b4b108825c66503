/** The demo panel's JSON, field for field as Pterodactyl writes it. */

import type { RunState } from './demo-run-state.ts';
import type { DemoServer } from './demo-servers.ts';

const createdAt = '2026-03-14T18:30:00+00:00';

/** `GET /api/application/users/{id}?include=servers`; without the include the relationships are left out. */
export const presentUser = (id: number, servers: readonly DemoServer[] | null) => ({
  object: 'user',
  attributes: {
    id,
    external_id: null,
    uuid: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    username: `demo${id}`,
    email: `demo${id}@panel.example`,
    first_name: 'Demo',
    last_name: String(id),
    language: 'en',
    root_admin: false,
    '2fa': false,
    created_at: createdAt,
    updated_at: createdAt,
    ...(servers && { relationships: { servers: { object: 'list', data: servers.map(presentServer) } } }),
  },
});

const presentServer = (server: DemoServer) => ({
  object: 'server',
  attributes: {
    id: server.id,
    external_id: null,
    uuid: server.uuid,
    identifier: server.identifier,
    name: server.name,
    description: server.description,
    status: server.isSuspended ? 'suspended' : null,
    suspended: server.isSuspended,
    limits: {
      memory: server.memory,
      swap: 0,
      disk: server.disk,
      io: 500,
      cpu: server.cpu,
      threads: null,
      oom_disabled: true,
    },
    feature_limits: { databases: 1, allocations: 2, backups: 3 },
    user: server.userId,
    node: 1,
    allocation: server.id,
    nest: 1,
    egg: server.id,
    container: {
      startup_command: server.startup,
      image: 'ghcr.io/pterodactyl/yolks:debian',
      installed: 1,
      environment: server.environment,
    },
    updated_at: createdAt,
    created_at: createdAt,
  },
});

/** `GET /api/client/servers/{identifier}/resources`. */
export function presentResources(server: DemoServer, state: RunState, uptimeMs: number) {
  const isUp = state !== 'offline';
  return {
    object: 'stats',
    attributes: {
      current_state: state,
      is_suspended: server.isSuspended,
      resources: {
        memory_bytes: isUp ? server.memory * 512 * 1024 : 0,
        cpu_absolute: isUp ? server.cpu / 10 : 0,
        disk_bytes: server.disk * 256 * 1024,
        network_rx_bytes: uptimeMs * 3,
        network_tx_bytes: uptimeMs * 11,
        uptime: uptimeMs,
      },
    },
  };
}
