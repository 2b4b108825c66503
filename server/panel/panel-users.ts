/**
 * Finds a panel user by the host's external id, or else by e-mail address. For an import, it reads all users page by page and
 * leaves half of the panel's rate limit to the calls of customers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { createCache } from '../../models/support/cache.ts';
import type { PanelUserQuery } from '../../routers/panel-port.ts';
import { cleanSingleLine } from '../../routers/schemas/text.ts';
import { Email } from '../../routers/schemas/user.ts';
import { formatZodError } from '../../routers/support/format-zod-error.ts';
import { isNotFound } from './diagnose.ts';
import { Evidence } from './evidence.ts';
import { PanelFailure, rethrowFor } from './failures.ts';
import { pathSegment } from './http-client.ts';
import { createPanelApi, type PanelApiClient, parseResponse } from './panel-api.ts';
import type { PanelSettings } from './settings.ts';

const pageSize = 100;

const User = z.object({
  attributes: z.object({ id: z.int(), external_id: z.string().nullable().catch(null), email: z.string() }),
});
const Users = z.object({
  data: z.array(User),
  meta: z
    .object({ pagination: z.object({ total_pages: z.int() }) })
    .optional()
    .catch(undefined),
});

/** The panel's filter also finds addresses that only contain the requested one. Pages beyond this are not read. */
const pagesMax = 10;

interface UserCall {
  requestId: string;
  customerId: string;
}

/** The panel's database ignores case and other differences, so its results are compared with the request. */
export function createFindUser(api: PanelApiClient, { clock, listsMax, listTtlMs }: PanelSettings) {
  const cache = createCache<PanelUserQuery, { id: number | null }>({
    clock,
    entriesMax: listsMax,
    keyOf: ({ externalId, email }) => JSON.stringify([externalId, email]),
    load: async ({ externalId, email }, requestId) => {
      // Calls count by panel user, which is not known yet, so these count by external id.
      const userCall = { requestId, customerId: `external ${externalId}` };
      api.requireReads();
      const id = await findByExternalId(api, externalId, userCall);
      return { id: id ?? (await findByEmail(api, email, userCall)) };
    },
  });

  return async (user: PanelUserQuery, requestId: string) =>
    (await cache.get(user, { requestId, ageMsMax: listTtlMs }).catch(rethrowFor('read'))).id;
}

async function findByExternalId(api: PanelApiClient, externalId: string, userCall: UserCall) {
  const segment = pathSegment(externalId);
  if (segment === null) return null;
  return api.send({ path: `api/application/users/external/${segment}`, ...userCall }, (response) => {
    if (isNotFound(response)) return null;
    const { id, external_id } = parseResponse(User, response).attributes;
    return external_id === externalId ? id : null;
  });
}

async function findByEmail(api: PanelApiClient, email: string, userCall: UserCall) {
  const exact: number[] = [];
  for (let page = 1, pageCount = 1; page <= Math.min(pageCount, pagesMax); page += 1) {
    const filter = new URLSearchParams({ 'filter[email]': email, per_page: String(pageSize) });
    const path = `api/application/users?${filter}${page > 1 ? `&page=${page}` : ''}`;
    const { data, meta } = await api.send({ path, ...userCall }, (response) =>
      parseResponse(Users, response),
    );
    const found = data.filter(({ attributes }) => Email.safeParse(attributes.email).data === email);
    exact.push(...found.map(({ attributes }) => attributes.id));
    pageCount = meta?.pagination.total_pages ?? 1;
  }
  return exact.length === 1 ? (exact[0] ?? null) : null;
}

export type PanelUserPage = Awaited<ReturnType<typeof askForPage>>;
export type MalformedUser = PanelUserPage['malformed'][number];

const text = z.string().overwrite(cleanSingleLine).nullable().catch(null);

/** Pelican has no first and last names. */
const Attributes = z.object({
  id: z.int(),
  external_id: z.string().nullable().catch(null),
  email: z.string(),
  username: text,
  first_name: text,
  last_name: text,
  // Required, so that an administrator is never mistaken for a customer.
  root_admin: z.boolean(),
});

const Identity = z.object({
  id: z.int().nullable().catch(null),
  email: z.string().overwrite(cleanSingleLine).catch(''),
});

const UserPage = z.object({
  data: z.array(z.object({ attributes: z.unknown() }).catch({ attributes: null })),
  meta: z.object({ pagination: z.object({ total: z.int(), total_pages: z.int() }) }),
});

const reservedShare = 1 / 2;
const waitMs = 1_000;
/** Consecutive tries of one page. The panel's limit is per minute. */
const throttledMax = 5;

/** Pages are sorted by id, so that users who are added meanwhile come last. */
export async function* readPanelUsers(settings: PanelSettings): AsyncGenerator<PanelUserPage> {
  const api = createPanelApi('application', {
    ...settings,
    evidence: new Evidence({ ...settings, reservedShare }),
  });
  for (let page = 1, pageCount = 1; page <= pageCount; page += 1) {
    const read = await readPage(api, page);
    pageCount = read.pageCount;
    yield read;
  }
}

async function readPage(api: PanelApiClient, page: number): Promise<PanelUserPage> {
  for (let tries = 1; ; tries += 1) {
    try {
      api.requireReads();
      return await askForPage(api, page);
    } catch (failure) {
      const isThrottled = failure instanceof PanelFailure && ['throttled', 'reserved'].includes(failure.kind);
      if (!isThrottled || tries === throttledMax) throw failure;
      await delay(Math.max(failure.retryAfterMs, waitMs));
    }
  }
}

const askForPage = (api: PanelApiClient, page: number) =>
  api.send(
    { path: `api/application/users?sort=id&per_page=${pageSize}&page=${page}`, requestId: 'import' },
    (response) => {
      const { data, meta } = parseResponse(UserPage, response);
      const { total, total_pages: pageCount } = meta.pagination;
      return { page, pageCount, total, ...separateMalformed(data.map(({ attributes }) => attributes)) };
    },
  );

/** Separates entries of an unknown form, so that all others are still read. */
function separateMalformed(entries: unknown[]) {
  const users: z.output<typeof Attributes>[] = [];
  const malformed: { panelUserId: number | null; email: string; reason: string }[] = [];
  for (const entry of entries) {
    const parsed = Attributes.safeParse(entry);
    if (parsed.success) users.push(parsed.data);
    else {
      const { id = null, email = '' } = Identity.safeParse(entry).data ?? {};
      malformed.push({ panelUserId: id, email, reason: formatZodError(parsed.error) });
    }
  }
  return { users, malformed };
}
