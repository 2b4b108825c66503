/** How a panel in good order answers the calls that the service makes; written from the panel's own source. */
import type { IncomingHttpHeaders } from 'node:http';
import { errorEnvelope, type RawAnswer } from './panel-answers.ts';
import { answerClientCall, type ClientApiState, type ClientCall } from './proper-client-api.ts';

export interface RecordedRequest {
  method: string;
  /** With its query, as it came. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The caller's port, by which connections are told apart. */
  port: number | undefined;
}

interface PanelState extends ClientApiState {
  applicationKey: string;
  clientKey: string;
  servers: Map<number, PanelServerAttributes[]>;
  /** Users who can be found, besides those that own servers. */
  users: PanelUserAttributes[];
}

export interface PanelUserAttributes {
  id: number;
  external_id: string | null;
  email: string;
}

export type PanelServerAttributes = ReturnType<typeof panelServer>;

/** Two of them, of which the server's `allocation` is the second. */
const panelAllocations = {
  object: 'list',
  data: [
    { id: 10, ip: '203.0.113.7', alias: null, port: 25_566, notes: 'secret-note', assigned: true },
    { id: 11, ip: '203.0.113.7', alias: 'play.host.example', port: 25_565, notes: null, assigned: true },
  ].map((attributes) => ({ object: 'allocation', attributes })),
};

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
    ...{ user: 1, node: 1, allocation: 11, nest: 1, egg: 5 },
    relationships: { allocations: panelAllocations },
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

const fail = (status: number, code: string, detail?: string): RawAnswer => ({
  status,
  body: errorEnvelope(status, code, detail),
});

export function answerProperly(
  { method, path, headers, body }: RecordedRequest,
  state: PanelState,
): RawAnswer {
  const { pathname, searchParams: query } = new URL(path, 'http://panel');
  const userId = /^\/api\/application\/users\/([^/]+)$/.exec(pathname)?.[1];
  const [, segment, rest = ''] = /^\/api\/client\/servers\/([^/]+)\/(.+)$/.exec(pathname) ?? [];
  const key = pathname.startsWith('/api/client') ? state.clientKey : state.applicationKey;
  if (!headers.accept?.includes('json')) return { status: 302, headers: { Location: '/auth/login' } };
  if (headers.authorization !== `Bearer ${key}`) return fail(401, 'AuthenticationException');
  const externalId = /^\/api\/application\/users\/external\/([^/]+)$/.exec(pathname)?.[1];
  if (method === 'GET' && externalId) return answerExternal(decodeURIComponent(externalId), state);
  if (method === 'GET' && pathname === '/api/application/users')
    return answerUsers(query.get('filter[email]') ?? '', state);
  if (method === 'GET' && userId && query.get('include')?.startsWith('servers'))
    return answerList(Number(userId), state);
  if (segment)
    return answerServer({ method, identifier: decodeURIComponent(segment), rest, query, body }, state);
  return fail(404, 'NotFoundHttpException');
}

const presentUser = (attributes: PanelUserAttributes) => ({ object: 'user', attributes });

function answerExternal(externalId: string, { users }: PanelState): RawAnswer {
  const user = users.find(({ external_id }) => external_id === externalId);
  return user ? { body: presentUser(user) } : fail(404, 'NotFoundHttpException');
}

/** The panel's filter matches any part of the address. */
const answerUsers = (email: string, { users }: PanelState): RawAnswer => ({
  body: { object: 'list', data: users.filter((user) => user.email.includes(email)).map(presentUser) },
});

function answerList(userId: number, { servers }: PanelState): RawAnswer {
  const owned = servers.get(userId);
  return owned ? { body: userWithServers(userId, owned) } : fail(404, 'NotFoundHttpException');
}

function answerServer(call: ClientCall, state: PanelState): RawAnswer {
  const servers = [...state.servers.values()].flat();
  const server = servers.find(({ identifier }) => identifier === call.identifier);
  if (!server) return fail(404, 'NotFoundHttpException');
  if (server.suspended)
    return fail(409, 'ServerStateConflictException', 'This server is currently suspended.');
  return answerClientCall(call, state);
}
