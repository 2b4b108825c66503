/** `audit`: list and sum up the calls made over the API. */
import { z } from 'zod';
import type { AuditEntryRecord } from '../../models/audit-entry.ts';
import { summaryDaysMax } from '../../models/bounds.ts';
import { sumActivity } from '../../routers/activity.ts';
import { findUserId, getUser } from './access.ts';
import { command, list, noun } from './command.ts';
import { atMost, Email, limit, OneUser } from './option.ts';
import { table } from './print.ts';

export const audit = noun('Calls made over the API, kept 90 days', {
  list: list({
    summary: 'List calls of known keys and apps, newest first; reads appear about a second late',
    example: 'audit list --email ada@example.com --limit 20',
    options: z.object({
      email: Email.optional().describe('<address> only the calls of this user'),
      limit: limit(10_000),
    }),
    async run(models, { email, limit }) {
      const userId = await findUserId(models, email);
      const ofUser = userId === undefined ? {} : { userId };
      return (await models.auditEntries.list({ ...ofUser, limit })).map(presentEntry);
    },
    columns: [
      'at',
      'user_id',
      'key_id',
      'grant_id',
      'via',
      'operation',
      'target',
      'detail',
      'owner_id',
      'status',
      'code',
      'address',
    ],
    empty: 'No calls.',
  }),
  summary: command({
    summary: "Sum up the calls of a user's keys and apps by day, in UTC, and by key",
    example: 'audit summary --email ada@example.com --days 7',
    options: OneUser.extend({
      days: atMost(summaryDaysMax)
        .prefault(String(summaryDaysMax))
        .describe(`<number> how many days, at most ${summaryDaysMax}`),
    }),
    async run(models, { email, days: dayCount }) {
      const { _id: userId } = await getUser(models, email);
      const { days, keys } = await sumActivity({ models, clock: Date.now }, { userId, dayCount });
      const called = days.filter(({ calls }) => calls > 0);
      const byDay = table(called, ['date', 'calls', 'errors'], 'No calls.');
      const byKey = table(keys, ['name', 'prefix', 'calls', 'errors'], '');
      const sums = keys.map(({ name, prefix, calls, errors }) => ({ name, prefix, calls, errors }));
      return { json: { days, keys: sums }, text: [byDay, byKey].filter(Boolean).join('\n\n') };
    },
  }),
});

const presentEntry = (entry: AuditEntryRecord) => ({
  at: entry.at.toISOString(),
  user_id: entry.userId,
  key_id: entry.keyId,
  grant_id: entry.grantId ?? null,
  client_id: entry.clientId ?? null,
  via: entry.via,
  operation: entry.operation,
  target: entry.target,
  detail: entry.detail ?? null,
  owner_id: entry.ownerId ?? null,
  status: entry.status,
  code: entry.code,
  address: entry.address,
  request_id: entry.requestId,
});
