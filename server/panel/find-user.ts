/** Finds a panel user by the host's external id, or else by e-mail address. Cached for seconds and coalesced. */
import { z } from 'zod';
import { createCache } from '../../models/support/cache.ts';
import type { PanelUserQuery } from '../../routers/panel-port.ts';
import { Email } from '../../routers/schemas/user.ts';
import { isNotFound } from './diagnose.ts';
import { pathSegment } from './http-client.ts';
import type { PanelSettings } from './options.ts';
import { type PanelApiClient, parseResponse } from './panel-api.ts';

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

const pageSize = 100;
/** Of addresses that contain the one that is sought; more are those of somebody who wants to be found among them. */
const pagesMax = 10;

interface Asked {
  requestId: string;
  customerId: string;
}

/** Null for a user the panel does not have. */
interface Found {
  id: number | null;
}

/** The panel's database compares without case, and more loosely still: what it finds is compared with what was asked. */
export function createFindUser(api: PanelApiClient, { clock, listsMax, listTtlMs }: PanelSettings) {
  const findByEmail = createFindByEmail(api);
  async function findByExternalId(externalId: string, asked: Asked): Promise<number | null> {
    const segment = pathSegment(externalId);
    if (segment === null) return null;
    return api.send({ path: `api/application/users/external/${segment}`, ...asked }, (response) => {
      if (isNotFound(response)) return null;
      const { id, external_id } = parseResponse(User, response).attributes;
      return external_id === externalId ? id : null;
    });
  }

  const cache = createCache<string, Found>({
    clock,
    entriesMax: listsMax,
    load: async (key, requestId) => {
      const { externalId, email }: PanelUserQuery = JSON.parse(key);
      // The calls of a customer count by its panel user, which is not known yet.
      const asked = { requestId, customerId: `external ${externalId}` };
      api.requireReads();
      const id = await findByExternalId(externalId, asked);
      return { id: id ?? (await findByEmail(email, asked)) };
    },
  });

  return async ({ externalId, email }: PanelUserQuery, requestId: string) => {
    const key = JSON.stringify({ externalId, email });
    return (await cache.get(key, { requestId, ageMsMax: listTtlMs })).id;
  };
}

function createFindByEmail(api: PanelApiClient) {
  function listByEmail({ email, page }: { email: string; page: number }, asked: Asked) {
    const query = new URLSearchParams({
      'filter[email]': email,
      per_page: String(pageSize),
      ...(page > 1 && { page: String(page) }),
    });
    return api.send({ path: `api/application/users?${query}`, ...asked }, (response) =>
      parseResponse(Users, response),
    );
  }

  return async (email: string, asked: Asked): Promise<number | null> => {
    const exact: number[] = [];
    for (let page = 1, pageCount = 1; page <= Math.min(pageCount, pagesMax); page += 1) {
      const { data, meta } = await listByEmail({ email, page }, asked);
      // The panel's filter finds addresses that contain this one, too.
      const found = data.filter(({ attributes }) => Email.safeParse(attributes.email).data === email);
      exact.push(...found.map(({ attributes }) => attributes.id));
      pageCount = meta?.pagination.total_pages ?? 1;
    }
    return exact.length === 1 ? (exact[0] ?? null) : null;
  };
}
