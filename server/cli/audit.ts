/** `audit`: the calls made over the API, one by one and summed up. */
import { z } from 'zod';
import type { AuditEntryRecord } from '../../models/audit-entry.ts';
import { sumActivity } from '../../routers/activity.ts';
import {
  addVerb,
  type CliCommand,
  Email,
  getUser,
  type Io,
  PositiveInteger,
  type Report,
  table,
  verb,
  withModels,
} from './command.ts';

const limitMax = 10_000;

export function addAuditCommands(program: CliCommand): void {
  const audit = program.command('audit').description('Calls made over the API, kept 90 days');
  addVerb(audit, 'list', {
    summary: 'List calls of known keys and apps, newest first; reads appear about a second late',
    example: 'audit list --email ada@example.com --limit 20',
  })
    .option('--email <address>', 'only the calls of this user')
    .option('--limit <number>', `how many to show, at most ${limitMax}`, '50')
    .action(verb(ListOptions, list));
  addVerb(audit, 'summary', {
    summary: "Sum up the calls of a user's keys and apps by day, in UTC, and by key",
    example: 'audit summary --email ada@example.com --days 7',
  })
    .requiredOption('--email <address>', "the user's e-mail address")
    .option('--days <number>', `how many days, at most ${daysMax}`, String(daysMax))
    .action(verb(SummaryOptions, summarize));
}

const daysMax = 30;

const SummaryOptions = z.object({ email: Email, days: PositiveInteger.pipe(z.number().max(daysMax)) });

const summarize = ({ email, days: dayCount }: z.output<typeof SummaryOptions>, io: Io) =>
  withModels(io, async (models): Promise<Report> => {
    const { _id: userId } = await getUser(models, email);
    const { days, keys } = await sumActivity({ models, clock: Date.now }, { userId, dayCount });
    const called = days.filter(({ calls }) => calls > 0);
    const byDay = table(called, ['date', 'calls', 'errors'], 'No calls.');
    const byKey = table(keys, ['name', 'prefix', 'calls', 'errors'], '');
    const sums = keys.map(({ name, prefix, calls, errors }) => ({ name, prefix, calls, errors }));
    return { json: { days, keys: sums }, text: [byDay, byKey].filter(Boolean).join('\n\n') };
  });

const ListOptions = z.object({
  email: Email.optional(),
  limit: PositiveInteger.pipe(z.number().max(limitMax)),
});

const list = ({ email, limit }: z.output<typeof ListOptions>, io: Io) =>
  withModels(io, async (models): Promise<Report> => {
    const user = email === undefined ? {} : { userId: (await getUser(models, email))._id };
    const entries = (await models.auditEntries.list({ ...user, limit })).map(present);
    const columns = [
      'at',
      'user_id',
      'key_id',
      'grant_id',
      'via',
      'operation',
      'target',
      'owner_id',
      'status',
      'code',
      'address',
    ] as const;
    return { json: entries, text: table(entries, columns, 'No calls.') };
  });

const present = (entry: AuditEntryRecord) => ({
  at: entry.at.toISOString(),
  user_id: entry.userId,
  key_id: entry.keyId,
  grant_id: entry.grantId ?? null,
  client_id: entry.clientId ?? null,
  via: entry.via,
  operation: entry.operation,
  target: entry.target,
  owner_id: entry.ownerId ?? null,
  status: entry.status,
  code: entry.code,
  address: entry.address,
  request_id: entry.requestId,
});
