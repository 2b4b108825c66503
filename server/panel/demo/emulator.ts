/**
 * How a Pterodactyl or Pelican panel in good order answers the calls that the service makes: as recorded of a real
 * Pterodactyl, and of Pelican as its source says. The demo panel is one of these with servers that move; the tests'
 * panel is one that can also misbehave.
 */
import { notFound, type PanelAnswer, type PanelCall, paginate, refusal } from './answers.ts';
import type { UserAttributes } from './attributes.ts';
import { endRestores } from './backup-calls.ts';
import { type EmulatedApi, type EmulatedPanel, findEmulatedServer, fold } from './emulated-panel.ts';
import { answerServerCall } from './server-calls.ts';

export function answerPanelCall(call: PanelCall, panel: EmulatedPanel): PanelAnswer {
  const { pathname, searchParams: query } = new URL(call.path, 'http://panel');
  const [, api, path = ''] = /^\/api\/(application|client)\/(.+)$/.exec(pathname) ?? [];
  if (api !== 'application' && api !== 'client') return notFound();
  const refused = refuseUnknownKey(call, panel);
  if (refused) return refused;
  endRestores(panel);
  const answer = answerApi(call, { api, path, query, panel });
  const { limit, remaining } = panel.rateLimitOf(api);
  const left = { 'X-RateLimit-Limit': String(limit), 'X-RateLimit-Remaining': String(remaining) };
  return { ...answer, headers: { ...left, ...answer.headers } };
}

function refuseUnknownKey({ headers }: PanelCall, panel: EmulatedPanel): PanelAnswer | null {
  const { applicationKey, clientKey } = panel;
  if ([applicationKey, clientKey].some((key) => headers.authorization === `Bearer ${key}`)) return null;
  if (headers.accept?.includes('json')) return refusal(401, 'AuthenticationException', 'Unauthenticated.');
  const Location = `http://${headers.host}/auth/login`;
  return { status: 302, headers: { Location }, body: `Redirecting to ${Location}.` };
}

interface Asked {
  api: EmulatedApi;
  path: string;
  query: URLSearchParams;
  panel: EmulatedPanel;
}

function answerApi(call: PanelCall, asked: Asked): PanelAnswer {
  // This API takes an administrator's client key, too.
  if (asked.api === 'application') return answerApplication(call, asked);
  if (call.headers.authorization === `Bearer ${asked.panel.clientKey}`) return answerClient(call, asked);
  return refusal(
    403,
    'AccessDeniedHttpException',
    'You are attempting to use an application API key on an endpoint that requires a client API key.',
  );
}

function answerClient(call: PanelCall, { path, query, panel }: Asked): PanelAnswer {
  const { isClientKeyAdmin } = panel.conditions;
  if (path === 'account') return { body: presentAccount(isClientKeyAdmin) };
  const [, segment = '', rest = ''] = /^servers\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
  const server = findEmulatedServer(decodeURIComponent(segment), panel);
  if (!server || !isClientKeyAdmin) return notFound();
  return answerServerCall({ ...call, server, rest, query }, panel);
}

const presentAccount = (admin: boolean) => ({
  object: 'user',
  attributes: {
    id: 1,
    admin,
    username: 'admin',
    email: 'admin@panel.example',
    first_name: 'Ada',
    last_name: 'Admin',
    language: 'en',
  },
});

function answerApplication({ method }: PanelCall, { path, query, panel }: Asked): PanelAnswer {
  const { users, servers } = panel;
  if (method !== 'GET') return notFound();
  if (panel.conditions.deniedResources.has(path === 'servers' ? path : 'users')) return unauthorized();
  if (path === 'users') return answerUsers(users, query);
  if (path === 'servers') return answerServers(panel, query);
  const [, externalId] = /^users\/external\/([^/]+)$/.exec(path) ?? [];
  if (externalId) {
    const user = users.find(({ external_id: id }) => id && fold(id) === fold(decodeURIComponent(externalId)));
    return user ? { body: presentUser(user) } : notFound();
  }
  const id = Number(/^users\/([^/]+)$/.exec(path)?.[1]);
  const known = users.find((user) => user.id === id);
  const owned = servers.get(id) ?? (known && []);
  if (!owned) return notFound();
  const shown = panel.dialect === 'pelican' ? owned.map(({ nest, ...server }) => server) : owned;
  return { body: userWithServers(known ?? id, query.get('include')?.startsWith('servers') ? shown : null) };
}

function answerUsers(users: UserAttributes[], query: URLSearchParams): PanelAnswer {
  // The panel's filter matches any part of the address.
  const part = fold(query.get('filter[email]') ?? '');
  const found = users.filter(({ email }) => fold(email).includes(part));
  const { data, pagination } = paginate(found, pageOf(query));
  return { body: { object: 'list', data: data.map(presentUser), meta: { pagination } } };
}

const unauthorized = () => refusal(403, 'AccessDeniedHttpException', 'This action is unauthorized.');

function answerServers({ servers, conditions }: EmulatedPanel, query: URLSearchParams): PanelAnswer {
  const all = [...servers.values()].flat();
  const { data, pagination } = paginate(all, pageOf(query));
  const denied = conditions.deniedResources.has('allocations') && {
    relationships: { allocations: { object: 'null_resource', attributes: null } },
  };
  const shown = data.map((server) => ({ object: 'server', attributes: { ...server, ...denied } }));
  return { body: { object: 'list', data: shown, meta: { pagination } } };
}

const pageOf = (query: URLSearchParams) => ({
  size: Number(query.get('per_page') ?? 50),
  page: Number(query.get('page') ?? 1),
});

const presentUser = (attributes: UserAttributes) => ({
  object: 'user',
  attributes: {
    uuid: `00000000-0000-4000-8000-${String(attributes.id).padStart(12, '0')}`,
    username: `user${attributes.id}`,
    first_name: 'Una',
    last_name: 'User',
    language: 'en',
    root_admin: false,
    '2fa': false,
    created_at: '2026-03-14T18:30:00+00:00',
    updated_at: '2026-03-14T18:30:00+00:00',
    ...attributes,
  },
});

/**
 * A panel's answer to `GET /api/application/users/{id}`.
 * @param user an id stands for a user without an external id
 * @param servers null without `?include=servers`
 */
export function userWithServers(user: UserAttributes | number, servers: readonly object[] | null) {
  const known =
    typeof user === 'number' ? { id: user, external_id: null, email: `user${user}@panel.example` } : user;
  const { object, attributes } = presentUser(known);
  const data = servers?.map((server) => ({ object: 'server', attributes: server }));
  return {
    object,
    attributes: { ...attributes, ...(data && { relationships: { servers: { object: 'list', data } } }) },
  };
}
