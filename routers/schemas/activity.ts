/** The activity of the owner's keys and apps, and its sums by day and by key. */
import { z } from 'zod';
import type { DayCount } from '../../models/activity-count.ts';
import type { StoredAuditEntry } from '../../models/audit-entry.ts';
import { pageSizeMax, summaryDaysMax } from '../../models/bounds.ts';
import { dateTime, integer, openEnum } from './common.ts';
import { Key } from './key.ts';
import { createPick } from './pick.ts';

const KeyName = Key.pick({ name: true, prefix: true });

export type KeyName = z.infer<typeof KeyName>;

const exampleActivity = {
  id: '9c41f07ab2000000000004d2',
  at: '2026-11-21T09:30:00.000Z',
  operation: 'servers.power',
  target: 'a1b2c3d4',
  status: 202,
  code: null,
  via: 'rest',
  key: { name: 'Night restart', prefix: 'gamehost_live_4fJ9' },
  app: null,
  address: '203.0.113.7',
  request_id: '5f1c4e0a9b3d4c27a6c1d0e9f8b7a654',
};

export const Activity = z
  .object({
    id: z.string().describe('Identifies this activity in `before`.'),
    at: dateTime.describe('When it happened.'),
    operation: z
      .string()
      .nullable()
      .describe(
        'The operation, such as servers.power; null if the call was refused before its operation was known.',
      ),
    target: z
      .string()
      .nullable()
      .describe('The target of the call, such as a ticket or a server; null if none.'),
    detail: z
      .string()
      .optional()
      .describe(
        'Details, if recorded, such as a power signal, the name of a backup, or file paths, each cut to 200 characters.',
      ),
    status: z.int().describe('The HTTP status of the response.'),
    code: z.string().nullable().describe('The error code of a call that failed; null if it succeeded.'),
    via: openEnum('ActivityVia', ['rest', 'trpc', 'mcp', 'account', 'oauth']).describe(
      "How the call came: by the API (rest, trpc or mcp), from the account page (account), or as an app's sign-in (oauth).",
    ),
    key: KeyName.meta({ description: 'A key by its name and first characters.' })
      .nullable()
      .describe('The key that made the call; null if none did.'),
    app: z.string().nullable().describe('The name of the app that made the call; null if none did.'),
    address: z
      .string()
      .describe('The address that the call came from; empty for leak reports and for actions of support.'),
    request_id: z.string().describe('The X-Request-Id of the response, for a report of a problem.'),
  })
  .meta({ title: 'Activity', description: 'One call, and how it ended.', examples: [exampleActivity] });

export const ActivityQuery = z
  .strictObject({
    before: z
      .string()
      .regex(/^[0-9a-f]{24}$/, { error: 'must be the id of an activity' })
      .describe('Only activity older than the one with this id.')
      .meta({ examples: [exampleActivity.id] })
      .optional(),
    limit: integer(1, pageSizeMax).default(50).describe('How many to return.'),
  })
  .meta({ examples: [{ limit: 50 }] });

export const ActivityList = z
  .object({
    activity: z.array(Activity).describe('Newest first.'),
    has_more: z.boolean().describe('Whether there is older activity.'),
  })
  .meta({ title: 'ActivityList' });

const calls = z.int().describe('How many calls were made, including failed ones.');
const errors = z.int().describe('Calls that ended with status 400 or higher.');

export const ActivityDay = z
  .object({ date: z.string().describe('The day in UTC.').meta({ format: 'date' }), calls, errors })
  .meta({
    title: 'ActivityDay',
    description: 'The calls of one day.',
    examples: [{ date: '2026-11-21', calls: 1440, errors: 3 }],
  });

export const KeyActivity = KeyName.extend({ calls, errors }).meta({
  title: 'KeyActivity',
  description: 'The calls of one key or app.',
  examples: [{ name: 'Status page', prefix: 'gamehost_live_4fJ9', calls: 1440, errors: 3 }],
});

export const SummaryQuery = z
  .strictObject({
    days: integer(1, summaryDaysMax)
      .default(summaryDaysMax)
      .describe('How many days to sum up, ending today.'),
  })
  .meta({ examples: [{ days: 30 }] });

export const ActivitySummary = z
  .object({
    days: z.array(ActivityDay).describe('Every day, including those without calls, oldest first.'),
    keys: z.array(KeyActivity).describe('Keys and apps that made calls, the busiest first; at most 100.'),
  })
  .meta({ title: 'ActivitySummary', description: 'How many calls were made, by day and by key.' });

const pickActivity = createPick(Activity);

const leakReport = 'credentials.revoke';

/** @param names the owner's keys by id, and connected apps by client_id */
export const presentActivity = (
  entry: StoredAuditEntry,
  names: ReadonlyMap<string, KeyName>,
): z.infer<typeof Activity> => ({
  ...pickActivity(entry),
  id: entry._id.toHexString(),
  key: names.get(entry.keyId) ?? null,
  app: entry.clientId === undefined ? null : (names.get(entry.clientId)?.name ?? null),
  // Only the operator sees who reported a leak. The owner sees when and why.
  address: entry.operation === leakReport ? '' : entry.address,
});

export const presentDay = ({ date, calls, failures }: DayCount): z.infer<typeof ActivityDay> => ({
  date,
  calls,
  errors: failures,
});
