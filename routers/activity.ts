/** The audit as the owner of the keys and apps reads it. */
import type { z } from 'zod';
import type { DayCount, SourceCount } from '../models/activity-count.ts';
import type { RefusedKey } from '../models/audit-entry.ts';
import { pageSizeMax } from '../models/bounds.ts';
import { accessTokenMarker } from '../models/oauth/tokens.ts';
import { readPage } from '../models/support/pages.ts';
import type { Caller } from './caller.ts';
import type { Context } from './context.ts';
import {
  ActivityList,
  ActivityQuery,
  ActivitySummary,
  type KeyName,
  presentActivity,
  presentDay,
  SummaryQuery,
} from './schemas/activity.ts';
import { endpoint, router } from './trpc.ts';

export const activityRouter = router({
  list: endpoint({
    route: 'GET /activity',
    scope: 'read:account',
    operationId: 'listMyActivity',
    tag: 'Activity',
    pagination: { list: 'activity', parameter: 'before', field: 'id', size: 'limit', more: 'has_more' },
    summary: 'List what my keys did',
    description:
      "Lists what happened in the last 90 days, newest first: calls of the owner's keys and apps, sign-ins, and changes on the account page. Use it to find out which key did something, or why calls were refused; for totals, use the summary. A key that is restricted to servers sees only its own calls. For the next page, send the last id as `before` while `has_more` is true. A call that only reads appears about a second late.",
  })
    .input(ActivityQuery)
    .output(ActivityList)
    .query(({ ctx, input }) => listActivity(ctx, { ...visibleTo(ctx.caller), ...input })),

  summary: endpoint({
    route: 'GET /activity/summary',
    scope: 'read:account',
    operationId: 'getMyActivitySummary',
    tag: 'Activity',
    summary: 'Sum up what my keys did',
    description:
      "Counts the calls of the owner's keys and apps by day, in UTC, and by key. Use it to chart usage, or to find the busiest key; for single calls, list the activity. A call is usually counted within ten seconds. It is lost if the process that served it is killed before that.",
  })
    .input(SummaryQuery)
    .output(ActivitySummary)
    .query(({ ctx, input }) => sumActivity(ctx, { ...visibleTo(ctx.caller), dayCount: input.days })),
});

const visibleTo = ({ userId, keyId, servers }: Caller) => (servers === null ? { userId } : { userId, keyId });

type ActivityContext = Pick<Context, 'models' | 'clock'>;

/** `keyId` is set for a key that is restricted to servers: it sees only its own activity. */
interface ActivityFilter {
  userId: number;
  keyId?: string | undefined;
}

export async function listActivity(
  { models, clock }: ActivityContext,
  page: ActivityFilter & z.output<typeof ActivityQuery>,
) {
  const { entries, hasMore } = await readPage(page.limit, (limit) =>
    models.auditEntries.listOwned({ ...page, limit }),
  );
  const names = await findNames({ models, clock }, page.userId, entries);
  return {
    activity: entries.map((entry) => presentActivity(entry, names)),
    has_more: hasMore,
  };
}

export async function sumActivity(
  { models, clock }: ActivityContext,
  { userId, keyId, dayCount }: ActivityFilter & { dayCount: number },
) {
  const now = new Date(clock());
  const [days, all] = await Promise.all([
    models.activityCounts.listDays({ userId, source: keyId, dayCount }, now),
    keyId === undefined
      ? models.activityCounts.listSources({ userId, dayCount }, { now, limit: pageSizeMax })
      : null,
  ]);
  const sources = all ?? sumOf(days, keyId);
  const names = await findNames({ models, clock }, userId, sources);
  const presentSource = ({ keyId, clientId, calls, failures }: SourceCount) => ({
    source: keyId || clientId,
    ...(names.get(keyId || clientId) ?? formerApp),
    calls,
    errors: failures,
  });
  return { days: days.map(presentDay), keys: sources.map(presentSource) };
}

function sumOf(days: readonly DayCount[], keyId = ''): SourceCount[] {
  const calls = days.reduce((sum, day) => sum + day.calls, 0);
  const failures = days.reduce((sum, day) => sum + day.failures, 0);
  return calls === 0 ? [] : [{ keyId, clientId: '', calls, failures }];
}

const formerApp: KeyName = { name: 'An app that is no longer connected', prefix: accessTokenMarker };

type Source = { keyId: string; clientId?: string; refusedKey?: RefusedKey | null };

async function findNames(
  { models, clock }: ActivityContext,
  userId: number,
  sources: readonly Source[],
): Promise<Map<string, KeyName>> {
  const keyIds = [...new Set(sources.map(({ keyId }) => keyId))].filter(Boolean);
  const clientIds = [...new Set(sources.flatMap(({ clientId }) => clientId || []))];
  const [keys, grants] = await Promise.all([
    keyIds.length > 0 ? models.apiKeys.listNames(userId, keyIds) : [],
    clientIds.length > 0 ? models.oauthGrants.list(userId, new Date(clock())) : [],
  ]);
  const former = clientIds.map((clientId): [string, KeyName] => [clientId, formerApp]);
  const apps = grants.map(({ app }): [string, KeyName] => [
    app.clientId,
    { name: app.name, prefix: accessTokenMarker },
  ]);
  const own = keys.map(({ _id, name, prefix }): [string, KeyName] => [_id, { name, prefix }]);
  const ended = sources.flatMap(({ keyId, refusedKey }): [string, KeyName][] =>
    refusedKey ? [[keyId, refusedKey]] : [],
  );
  return new Map([...former, ...apps, ...ended, ...own]);
}
