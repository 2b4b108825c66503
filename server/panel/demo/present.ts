/** The demo panel's JSON, with exactly Pterodactyl's fields. */

import type { RunState } from './run-state.ts';
import type { DemoServer } from './servers.ts';

/** For each demo server. */
export const backupsMax = 3;

const createdAt = '2026-03-14T18:30:00+00:00';

/** `GET /api/application/users/{id}?include=servers`, the relationships only where included. */
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

const presentAllocations = ({ id, port }: DemoServer) => ({
  object: 'list',
  data: [port, port + 1].map((number, index) => ({
    object: 'allocation',
    attributes: {
      id: id * 10 + index,
      ip: '203.0.113.20',
      alias: index === 0 ? 'play.demo.example' : null,
      port: number,
      notes: null,
      assigned: true,
    },
  })),
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
    feature_limits: { databases: 1, allocations: 2, backups: backupsMax },
    user: server.userId,
    node: 1,
    allocation: server.id * 10,
    relationships: { allocations: presentAllocations(server) },
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
  // Figures that move over a minute, and are the same for the same moment.
  const wave = Math.sin((uptimeMs / 60_000) * 2 * Math.PI);
  return {
    object: 'stats',
    attributes: {
      current_state: state,
      is_suspended: server.isSuspended,
      resources: {
        memory_bytes: isUp ? Math.round(server.memory * 512 * 1024 * (1 + wave / 10)) : 0,
        cpu_absolute: isUp ? Math.round((server.cpu / 10) * (1 + wave / 2) * 100) / 100 : 0,
        disk_bytes: server.disk * 256 * 1024,
        network_rx_bytes: uptimeMs * 3,
        network_tx_bytes: uptimeMs * 11,
        uptime: uptimeMs,
      },
    },
  };
}
