/** `audit list`: the calls made over the API. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { AuditEntryRecord } from '../../models/audit-entry.ts';
import { Email, PositiveInteger } from './options.ts';
import { table } from './table.ts';
import { addVerb, type Report, verb } from './verb.ts';
import { getUser, withModels } from './with-models.ts';

const limitMax = 10_000;

export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('Calls made over the API, kept 90 days');
  addVerb(audit, 'list', {
    summary: 'List calls of known keys and apps, newest first; reads appear about a second late',
    example: 'audit list --email ada@example.com --limit 20',
  })
    .option('--email <address>', 'only the calls of this user')
    .option('--limit <number>', `how many to show, at most ${limitMax}`, '50')
    .action(verb(ListOptions, list));
}

const ListOptions = z.object({
  email: Email.optional(),
  limit: PositiveInteger.pipe(z.number().max(limitMax)),
});

const list = ({ email, limit }: z.output<typeof ListOptions>) =>
  withModels(async (models): Promise<Report> => {
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
