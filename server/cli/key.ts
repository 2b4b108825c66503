/** `key`: issue, list, revoke. Only `issue` shows a secret, once. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { ApiKeyRecord } from '../../models/api-key/store.ts';
import { isAdminScope, offeredScopes, type Scope } from '../../routers/scopes.ts';
import { readConfig } from '../config.ts';
import { Email, FutureMoment, Name, PositiveInteger } from './options.ts';
import { printable, table } from './table.ts';
import { addVerb, CommandError, type Report, verb } from './verb.ts';
import { getUser, withModels } from './with-models.ts';

/** Far above what one process serves. */
const callsPerMinuteMax = 1_000_000;

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys');
  addVerb(key, 'issue', {
    summary: 'Issue an API key; its secret is printed once and not stored',
    example:
      'key issue --email ada@example.com --name laptop --scopes read:catalog,read:account --expires 2030-01-31',
  })
    .requiredOption('--email <address>', "the owner's e-mail address")
    .requiredOption('--name <text>', 'a name for the key')
    .requiredOption(
      '--scopes <list>',
      `comma-separated, of: ${offeredScopes({}).join(', ')} (admin: for administrators only), and write:console with CONSOLE_COMMANDS=true`,
    )
    .option(
      '--expires <time>',
      'ISO 8601 time with zone, or date (00:00 UTC); without it the key never expires',
    )
    .option(
      '--calls-per-minute <number>',
      `the key's own rate limit, at most ${callsPerMinuteMax}; without it the service's`,
    )
    .action(verb(IssueOptions, issue));
  addVerb(key, 'list', {
    summary: "List a user's keys, newest first, including revoked and expired ones",
    example: 'key list --email ada@example.com',
  })
    .requiredOption('--email <address>', "the owner's e-mail address")
    .action(verb(z.object({ email: Email }), list));
  addVerb(key, 'revoke', {
    summary: 'Revoke a key at once and permanently; revoking it again changes nothing',
    example: 'key revoke 0b9c3e2a-58e2-4b55-9d6e-2f8f5a1c7e11',
  })
    .argument('<id>', 'the id of the key, as key list shows it')
    .action(verb(z.object({ id: z.string() }), revoke));
}

/** Lazy, as the settings are read for commands that need them only. */
const OfferedScope = z.lazy(() => {
  const offered = offeredScopes(readConfig());
  return z.enum(offered, {
    error: ({ input }) =>
      `has the unknown scope ${JSON.stringify(input)}; the scopes are ${offered.join(', ')}`,
  });
});

const IssueOptions = z.object({
  email: Email,
  name: Name,
  scopes: z
    .string()
    .transform((value) => [...new Set(value.split(',').map((scope) => scope.trim()))].filter(Boolean))
    .pipe(z.array(OfferedScope).min(1, { error: 'must name at least one scope' })),
  expires: FutureMoment.nullable().default(null),
  callsPerMinute: PositiveInteger.pipe(z.number().max(callsPerMinuteMax)).nullable().default(null),
});

const issue = ({ email, expires, ...newKey }: z.output<typeof IssueOptions>) =>
  withModels(async (models): Promise<Report> => {
    const user = await getUser(models, email);
    if (!user.isAdmin) refuseAdminScopes(email, newKey.scopes);
    const issued = await models.apiKeys.issue(
      { ...newKey, userId: user._id, expiresAt: expires },
      new Date(),
    );
    const { id, prefix, scopes, expires_at, calls_per_minute } = present(issued.key);
    return {
      json: { id, key: issued.secret, prefix, scopes, expires_at, calls_per_minute },
      text: [
        `Key ${id} of ${email}, shown once:`,
        issued.secret,
        `Scopes:  ${scopes.join(', ')}`,
        `Expires: ${expires_at ?? 'never'}`,
        ...(calls_per_minute ? [`Limit:   ${calls_per_minute} calls a minute`] : []),
      ].join('\n'),
    };
  });

function refuseAdminScopes(email: string, scopes: readonly Scope[]): void {
  const forAdmins = scopes.filter(isAdminScope);
  if (forAdmins.length === 0) return;
  throw new CommandError(`${email} is not an administrator, so the key cannot have ${forAdmins.join(', ')}`);
}

const list = ({ email }: { email: string }) =>
  withModels(async (models): Promise<Report> => {
    const user = await getUser(models, email);
    const keys = (await models.apiKeys.list(user._id)).map(present);
    const columns = ['id', 'name', 'prefix', 'scopes', 'created_at', 'expires_at', 'revoked_at'] as const;
    return { json: keys, text: table(keys, columns, `${email} has no keys.`) };
  });

const revoke = ({ id }: { id: string }) =>
  withModels(async (models): Promise<Report> => {
    const key = await models.apiKeys.revoke(id, new Date());
    if (!key) throw new CommandError(`there is no key ${printable(id)}`);
    const { name, revoked_at } = present(key);
    return { json: present(key), text: `Key ${id} (${printable(name)}) was revoked at ${revoked_at}.` };
  });

const present = (key: ApiKeyRecord) => ({
  id: key._id,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  calls_per_minute: key.callsPerMinute ?? null,
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
});
