/**
 * How a Pterodactyl or Pelican panel in good order answers the calls that the service makes, as recorded of real ones.
 * The demo panel is one of these with servers that move; the tests' panel is one that can also misbehave.
 */
import { notFound, type PanelAnswer, type PanelCall, paginate, refusal } from './answers.ts';
import type { ServerAttributes, UserAttributes } from './attributes.ts';
import { endRestores } from './backup-calls.ts';
import {
  type EmulatedApi,
  type EmulatedPanel,
  findEmulatedServer,
  fold,
  unknownRoute,
} from './emulated-panel.ts';
import { isMalformedJson } from './server-call.ts';
import { answerServerCall } from './server-calls.ts';

export function answerPanelCall(call: PanelCall, panel: EmulatedPanel): PanelAnswer {
  const { pathname, searchParams: query } = new URL(call.path, 'http://panel');
  const [, api, path = ''] = /^\/api\/(application|client)\/(.+)$/.exec(pathname) ?? [];
  if (api !== 'application' && api !== 'client') return notFound();
  const refused = refuseUnknownKey(call, panel) ?? refuseMalformed(call);
  if (refused) return refused;
  endRestores(panel);
  const answer = answerApi(call, { api, path, query, panel });
  if (answer.isUncounted && panel.dialect === 'pelican') return answer;
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

const refuseMalformed = (call: PanelCall): PanelAnswer | null =>
  isMalformedJson(call)
    ? refusal(
        400,
        'BadRequestHttpException',
        'The JSON data passed in the request appears to be malformed: Syntax error',
      )
    : null;

interface Asked {
  api: EmulatedApi;
  path: string;
  query: URLSearchParams;
  panel: EmulatedPanel;
}

function answerApi(call: PanelCall, asked: Asked): PanelAnswer {
  const isClientKey = call.headers.authorization === `Bearer ${asked.panel.clientKey}`;
  // This API takes an administrator's client key, too.
  if (asked.api === 'application')
    return isClientKey && !asked.panel.conditions.isClientKeyAdmin
      ? denied('This account does not have permission to access the API.')
      : answerApplication(call, asked);
  if (isClientKey) return answerClient(call, asked);
  return denied(
    'You are attempting to use an application API key on an endpoint that requires a client API key.',
  );
}

const denied = (detail: string): PanelAnswer => ({
  ...refusal(403, 'AccessDeniedHttpException', detail),
  isUncounted: true,
});

function answerClient(call: PanelCall, { path, query, panel }: Asked): PanelAnswer {
  const { isClientKeyAdmin } = panel.conditions;
  if (path === 'account') return { body: presentAccount(isClientKeyAdmin, panel) };
  const [, segment = '', rest = ''] = /^servers\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
  if (!segment) return unknownRoute(call, panel);
  const server = findEmulatedServer(decodeURIComponent(segment), panel);
  if (!server) return notFound();
  if (!isClientKeyAdmin)
    return { ...notFound('The requested resource does not exist on this server.'), isUncounted: false };
  return answerServerCall({ ...call, server, rest, query }, panel);
}

function presentAccount(admin: boolean, { dialect }: EmulatedPanel) {
  const account = { admin, username: 'admin', email: 'admin@panel.example', language: 'en' };
  const more =
    dialect === 'pelican'
      ? { ...ofPelicanUsers, ...dates, image: 'https://gravatar.com/avatar/0', root_admin: admin }
      : { id: 1, first_name: 'Ada', last_name: 'Admin' };
  return { object: 'user', attributes: { ...account, ...more } };
}

function answerApplication(call: PanelCall, { path, query, panel }: Asked): PanelAnswer {
  const { users, servers, conditions } = panel;
  if (call.method !== 'GET') return unknownRoute(call, panel);
  if (conditions.deniedResources.has(path === 'servers' ? path : 'users')) return unauthorized();
  if (path === 'users') return answerUsers(panel, query);
  if (path === 'servers') return answerServers(panel, query);
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

function answerExternalId(externalId: string, { users, dialect }: EmulatedPanel): PanelAnswer {
  // Pelican was recorded on a database that compares exactly.
  const key = dialect === 'pelican' ? (text: string) => text : fold;
  const user = users.find(({ external_id: id }) => id && key(id) === key(externalId));
  return user ? { body: presentUser(user, dialect) } : { ...notFound(), isUncounted: false };
}

const filters = ['email', 'uuid', 'username', 'external_id'] as const;

function answerUsers({ users, dialect }: EmulatedPanel, query: URLSearchParams): PanelAnswer {
  const [asked, text = ''] = [...query].find(([name]) => name.startsWith('filter[')) ?? [];
  const filter = filters.find((name) => asked === `filter[${name}]`);
  if (asked && !filter) return refusal(400, 'InvalidFilterQuery', unknownFilter(asked.slice(7, -1)));
  const all = users.map((user) => presentUser(user, dialect));
  // A filter matches any part, and a comma stands for "or".
  const parts = fold(text).split(',');
  const fieldOf = ({ attributes }: (typeof all)[number]) => fold(String(filter && attributes[filter]));
  const found = filter ? all.filter((user) => parts.some((part) => fieldOf(user).includes(part))) : all;
  const { data, pagination } = paginate(found, pageOf(query));
  return { body: { object: 'list', data, meta: { pagination } } };
}

const unknownFilter = (name: string) =>
  `Requested filter(s) \`${name}\` are not allowed. Allowed filter(s) are \`${filters.join(', ')}\`.`;

const unauthorized = () => refusal(403, 'AccessDeniedHttpException', 'This action is unauthorized.');

function answerServers(panel: EmulatedPanel, query: URLSearchParams): PanelAnswer {
  const { data, pagination } = paginate([...panel.servers.values()].flat(), pageOf(query));
  const shown = data.map((server) => ({ object: 'server', attributes: presentServer(server, panel) }));
  return { body: { object: 'list', data: shown, meta: { pagination } } };
}

const nullResource = { object: 'null_resource', attributes: null };

function presentServer({ nest, ...server }: ServerAttributes, { dialect, conditions }: EmulatedPanel) {
  return {
    ...server,
    ...(dialect === 'pelican' ? { limits: { ...server.limits, oom_killer: false } } : { nest }),
    ...(conditions.deniedResources.has('allocations') && { relationships: { allocations: nullResource } }),
  };
}

const pageOf = (query: URLSearchParams) => ({
  size: Number(query.get('per_page') ?? 50),
  page: Number(query.get('page') ?? 1),
});

const dates = { created_at: '2026-03-14T18:30:00+00:00', updated_at: '2026-03-14T18:30:00+00:00' };

const ofPelicanUsers = { uuid: '00000000-0000-4000-8000-000000000001', '2fa_enabled': false };

const presentUser = (attributes: UserAttributes, dialect: EmulatedPanel['dialect']) => ({
  object: 'user',
  attributes: {
    ...(dialect === 'pelican'
      ? { ...ofPelicanUsers, is_managed_externally: false }
      : { first_name: 'Una', last_name: 'User' }),
    uuid: `00000000-0000-4000-8000-${String(attributes.id).padStart(12, '0')}`,
    username: `user${attributes.id}`,
    language: 'en',
    root_admin: false,
    '2fa': false,
    ...dates,
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
