/** How a panel in good order answers the calls that the service makes; written from the panel's own source. */
import type { IncomingHttpHeaders } from 'node:http';

export interface RecordedRequest {
  method: string;
  /** With its query, as it came. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The caller's port, by which connections are told apart. */
  port: number | undefined;
}

export interface RawAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: string | Buffer | object;
}

interface PanelState {
  applicationKey: string;
  clientKey: string;
  servers: Map<number, PanelServerAttributes[]>;
  accept(signal: string): void;
}

export type PanelServerAttributes = ReturnType<typeof panelServer>;

/** The attributes of an application server as Pterodactyl 1.11 sends them; each may be replaced. */
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
    ...{ user: 1, node: 1, allocation: 1, nest: 1, egg: 5 },
    container: {
      startup_command: 'java -jar server.jar',
      image: 'ghcr.io/images/java:17',
      installed: 1,
      environment: { RCON_PASSWORD: 'secret-of-the-server' },
    },
    created_at: '2020-06-13T04:20:53+00:00',
    updated_at: '2020-06-13T04:21:53+00:00',
    ...overrides,
  };
}

/** A panel's answer to a list, around the given attributes. */
export const userWithServers = (id: number, servers: object[]) => ({
  object: 'user',
  attributes: {
    id,
    email: 'owner@panel.example',
    relationships: {
      servers: { object: 'list', data: servers.map((attributes) => ({ object: 'server', attributes })) },
    },
  },
});

/** A panel's error body. */
export const errorEnvelope = (status: number, code: string, detail = 'No detail.') => ({
  errors: [{ code, status: String(status), detail }],
});

const fail = (status: number, code: string, detail?: string): RawAnswer => ({
  status,
  body: errorEnvelope(status, code, detail),
});

export function answerProperly(
  { method, path, headers, body }: RecordedRequest,
  state: PanelState,
): RawAnswer {
  const { pathname, searchParams } = new URL(path, 'http://panel');
  const userId = /^\/api\/application\/users\/([^/]+)$/.exec(pathname)?.[1];
  const identifier = /^\/api\/client\/servers\/([^/]+)\/power$/.exec(pathname)?.[1];
  const key = pathname.startsWith('/api/client') ? state.clientKey : state.applicationKey;
  if (!headers.accept?.includes('json')) return { status: 302, headers: { Location: '/auth/login' } };
  if (headers.authorization !== `Bearer ${key}`) return fail(401, 'AuthenticationException');
  if (method === 'GET' && userId && searchParams.get('include') === 'servers')
    return answerList(Number(userId), state);
  if (method === 'POST' && identifier) return answerPower(decodeURIComponent(identifier), body, state);
  return fail(404, 'NotFoundHttpException');
}

function answerList(userId: number, { servers }: PanelState): RawAnswer {
  const owned = servers.get(userId);
  return owned ? { body: userWithServers(userId, owned) } : fail(404, 'NotFoundHttpException');
}

function answerPower(identifier: string, body: string, { servers, accept }: PanelState): RawAnswer {
  const server = [...servers.values()].flat().find((candidate) => candidate.identifier === identifier);
  const { signal } = JSON.parse(body);
  if (!server) return fail(404, 'NotFoundHttpException');
  if (server.suspended)
    return fail(409, 'ServerStateConflictException', 'This server is currently suspended.');
  if (!['start', 'stop', 'restart', 'kill'].includes(signal)) return fail(422, 'ValidationException');
  accept(`${identifier} ${signal}`);
  return { status: 204 };
}
