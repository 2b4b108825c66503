/**
 * Answers the service's calls like a healthy Pterodactyl or Pelican panel, as recorded from real ones: responses have the
 * fields that the service reads, refusals their status and code. The demo panel does the work; this file has the refusals,
 * the limits, and the differences between the two panels.
 */
import { notFound, type ReceivedRequest, refusal } from '../../../server/panel/demo/answers.ts';
import { accessDenied, isMalformedJson, limitHeaders, paginate } from './answers.ts';
import type { ServerAttributes, UserAttributes } from './attributes.ts';
import {
  type EmulatedAnswer,
  type EmulatedApi,
  type EmulatedPanel,
  findEmulatedServer,
  fold,
  toGameServer,
} from './emulated-panel.ts';
import { answerServerCall } from './server-calls.ts';

export function answerPanelCall(call: ReceivedRequest, panel: EmulatedPanel): EmulatedAnswer {
  const { pathname, searchParams: query } = new URL(call.path, 'http://panel');
  const [, api, path = ''] = /^\/api\/(application|client)\/(.+)$/.exec(pathname) ?? [];
  if (api !== 'application' && api !== 'client') return notFound();
  const refused = refuseUnknownKey(call, panel);
  if (refused) return refused;
  if (isMalformedJson(call)) return refusal(400, 'BadRequestHttpException');
  const answer = answerApi(call, { api, path, query, panel });
  const { isUncounted = isUnknownRoute(answer) } = answer;
  if (isUncounted && panel.dialect === 'pelican') return answer;
  return { ...answer, headers: { ...limitHeaders(panel.rateLimitOf(api)), ...answer.headers } };
}

const isUnknownRoute = ({ body }: EmulatedAnswer) => JSON.stringify(body)?.includes('NotFoundHttpException');

function refuseUnknownKey({ headers }: ReceivedRequest, panel: EmulatedPanel): EmulatedAnswer | null {
  const { applicationKey, clientKey } = panel;
  if ([applicationKey, clientKey].some((key) => headers.authorization === `Bearer ${key}`)) return null;
  if (headers.accept?.includes('json')) return refusal(401, 'AuthenticationException', 'Unauthenticated.');
  const Location = `http://${headers.host}/auth/login`;
  return { status: 302, headers: { Location }, body: `Redirecting to ${Location}.` };
}

interface ApiRequest {
  api: EmulatedApi;
  path: string;
  query: URLSearchParams;
  panel: EmulatedPanel;
}

function answerApi(call: ReceivedRequest, asked: ApiRequest): EmulatedAnswer {
  const { api, panel } = asked;
  const isClientKey = call.headers.authorization === `Bearer ${panel.clientKey}`;
  // The application API takes an administrator's client key, too.
  const mayAsk = api === 'client' ? isClientKey : !isClientKey || panel.conditions.isClientKeyAdmin;
  if (!mayAsk) return { ...accessDenied(), isUncounted: true };
  return api === 'client' ? answerClient(call, asked) : answerApplication(call, asked);
}

function answerClient(call: ReceivedRequest, { path, query, panel }: ApiRequest): EmulatedAnswer {
  const { isClientKeyAdmin: admin } = panel.conditions;
  const attributes = { admin, ...(panel.dialect === 'pelican' && { root_admin: admin }) };
  if (path === 'account') return { body: { object: 'user', attributes } };
  const [, segment = '', rest = ''] = /^servers\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
  const server = findEmulatedServer(decodeURIComponent(segment), panel);
  if (!server) return notFound();
  if (!admin) return { ...notFound(), isUncounted: false };
  return answerServerCall(
    { ...call, attributes: server, server: toGameServer(server, panel), rest, query },
    panel,
  );
}

function answerApplication({ method }: ReceivedRequest, { path, query, panel }: ApiRequest): EmulatedAnswer {
  const { users, servers, conditions } = panel;
  if (method !== 'GET') return notFound();
  if (conditions.deniedResources.has(path === 'servers' ? path : 'users')) return accessDenied();
  if (path === 'users') return answerUsers(panel, query);
  if (path === 'servers') return answerServers(panel, query);
  const [, node] = /^nodes\/(\d+)\/allocations$/.exec(path) ?? [];
  if (node) return answerAllocations(Number(node), panel, query);
  const [, externalId] = /^users\/external\/([^/]+)$/.exec(path) ?? [];
  if (externalId) return answerExternalId(decodeURIComponent(externalId), panel);
  const id = Number(/^users\/([^/]+)$/.exec(path)?.[1]);
  const known = users.find((user) => user.id === id);
  const owned = servers.get(id) ?? (known && []);
  if (!owned) return notFound();
  const isAsked = query.get('include')?.startsWith('servers');
  const shown = isAsked ? owned.map((server) => presentServer(server, panel)) : null;
  const body = userWithServers(known ?? id, shown, panel.dialect);
  if (isAsked && conditions.deniedResources.has('servers'))
    Object.assign(body.attributes, { relationships: { servers: nullResource } });
  return { body };
}

function answerExternalId(externalId: string, { users, dialect }: EmulatedPanel): EmulatedAnswer {
  // The recordings of Pelican come from a database that compares exactly.
  const key = dialect === 'pelican' ? (text: string) => text : fold;
  const user = users.find(({ external_id: id }) => id && key(id) === key(externalId));
  return user ? { body: presentUser(user, dialect) } : { ...notFound(), isUncounted: false };
}

const filters = ['email', 'uuid', 'username', 'external_id'] as const;

function answerUsers({ users, dialect }: EmulatedPanel, query: URLSearchParams): EmulatedAnswer {
  const [asked, text = ''] = [...query].find(([name]) => name.startsWith('filter[')) ?? [];
  const filter = filters.find((name) => asked === `filter[${name}]`);
  if (asked && !filter) return refusal(400, 'InvalidFilterQuery');
  const all = users.map((user) => presentUser(user, dialect));
  // A filter matches any part, and a comma stands for "or".
  const parts = fold(text).split(',');
  const fieldOf = ({ attributes }: (typeof all)[number]) => fold(String(filter && attributes[filter]));
  const found = filter ? all.filter((user) => parts.some((part) => fieldOf(user).includes(part))) : all;
  const { data, pagination } = paginate(found, query);
  return { body: { object: 'list', data, meta: { pagination } } };
}

function answerServers(panel: EmulatedPanel, query: URLSearchParams): EmulatedAnswer {
  const { data, pagination } = paginate([...panel.servers.values()].flat(), query);
  const shown = data.map((server) => ({ object: 'server', attributes: presentServer(server, panel) }));
  return { body: { object: 'list', data: shown, meta: { pagination } } };
}

/** Only the allocations of servers: no call needs the others. */
function answerAllocations(node: number, panel: EmulatedPanel, query: URLSearchParams): EmulatedAnswer {
  if (panel.conditions.deniedResources.has('allocations')) return accessDenied();
  const found = [...panel.servers.values()]
    .flat()
    .filter((server) => server.node === node)
    .flatMap(({ relationships }) => relationships.allocations.data)
    .filter(({ attributes }) => query.get('filter[port]') === String(attributes.port));
  const { data, pagination } = paginate(found, query);
  return { body: { object: 'list', data, meta: { pagination } } };
}

const nullResource = { object: 'null_resource', attributes: null };

const presentServer = ({ nest, ...server }: ServerAttributes, { dialect, conditions }: EmulatedPanel) => ({
  ...server,
  ...(dialect === 'pterodactyl' && { nest }),
  ...(conditions.deniedResources.has('allocations') && { relationships: { allocations: nullResource } }),
});

const presentUser = (attributes: UserAttributes, dialect: EmulatedPanel['dialect']) => ({
  object: 'user',
  attributes: {
    ...(dialect === 'pterodactyl' && { first_name: 'Una', last_name: 'User' }),
    uuid: `00000000-0000-4000-8000-${String(attributes.id).padStart(12, '0')}`,
    username: `user${attributes.id}`,
    root_admin: false,
    ...attributes,
  },
});

/**
 * A panel's answer to `GET /api/application/users/{id}`.
 * @param user an id stands for a user without an external id
 * @param servers null without `?include=servers`
 */
export function userWithServers(
  user: UserAttributes | number,
  servers: readonly object[] | null,
  dialect: EmulatedPanel['dialect'] = 'pterodactyl',
) {
  const known =
    typeof user === 'number' ? { id: user, external_id: null, email: `user${user}@panel.example` } : user;
  const { object, attributes } = presentUser(known, dialect);
  const data = servers?.map((server) => ({ object: 'server', attributes: server }));
  return {
    object,
    attributes: { ...attributes, ...(data && { relationships: { servers: { object: 'list', data } } }) },
  };
}
