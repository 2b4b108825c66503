/** Reads all users of the panel, page by page, and leaves half of the panel's rate limit to the calls of customers. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { shownLine } from '../../routers/schemas/text.ts';
import { formatZodError } from '../../routers/support/format-zod-error.ts';
import { Evidence } from './evidence.ts';
import { PanelFailure } from './failures.ts';
import type { PanelSettings } from './options.ts';
import { createPanelApi, type PanelApiClient, parseResponse } from './panel-api.ts';

type PanelUserEntry = z.output<typeof Attributes>;

export interface PanelUserPage {
  /** From 1. */
  page: number;
  pageCount: number;
  /** How many users the panel has. */
  total: number;
  users: PanelUserEntry[];
  /** Whose form is none that we know: they are left out, and all others are read. */
  malformed: MalformedUser[];
}

export interface MalformedUser {
  /** Null where it has none. */
  panelUserId: number | null;
  email: string;
  reason: string;
}

const text = z.string().overwrite(shownLine).nullable().catch(null);

/** Pelican has no first and last names. */
const Attributes = z.object({
  id: z.int(),
  external_id: z.string().nullable().catch(null),
  email: z.string(),
  username: text,
  first_name: text,
  last_name: text,
  // Required: no administrator is to be taken for a customer.
  root_admin: z.boolean(),
});

const Name = z.object({
  id: z.int().nullable().catch(null),
  email: z.string().overwrite(shownLine).catch(''),
});

const UserPage = z.object({
  data: z.array(z.object({ attributes: z.unknown() }).catch({ attributes: null })),
  meta: z.object({ pagination: z.object({ total: z.int(), total_pages: z.int() }) }),
});

const pageSize = 100;
const reservedShare = 1 / 2;
const waitMs = 1_000;
/** In a row, of one page; the panel's limit is by the minute. */
const throttledMax = 5;

/** By id, so that who is added meanwhile comes last. @throws {PanelFailure} */
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
    (response): PanelUserPage => {
      const { data, meta } = parseResponse(UserPage, response);
      const { total, total_pages: pageCount } = meta.pagination;
      return { page, pageCount, total, ...sortOut(data.map(({ attributes }) => attributes)) };
    },
  );

function sortOut(entries: unknown[]): Pick<PanelUserPage, 'users' | 'malformed'> {
  const users: PanelUserEntry[] = [];
  const malformed: MalformedUser[] = [];
  for (const entry of entries) {
    const parsed = Attributes.safeParse(entry);
    if (parsed.success) users.push(parsed.data);
    else {
      const { id = null, email = '' } = Name.safeParse(entry).data ?? {};
      malformed.push({ panelUserId: id, email, reason: formatZodError(parsed.error) });
    }
  }
  return { users, malformed };
}
