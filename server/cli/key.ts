/** `key`: issue, list, rename and revoke. Only `issue` shows a secret, once. */
import { z } from 'zod';
import type { ApiKeyRecord } from '../../models/api-key/store.ts';
import { pageSizeMax } from '../../models/bounds.ts';
import type { Models } from '../../models/index.ts';
import type { UserRecord } from '../../models/user.ts';
import { revokeKey } from '../../routers/credentials.ts';
import { recordKeyEvent } from '../../routers/events.ts';
import { findForeignServer, KeyAddresses, KeyServers, keyProblem } from '../../routers/key-restrictions.ts';
import { isScopeFor, type Scope, scopes, selectOfferedScopes } from '../../routers/scopes.ts';
import { type Config, keyPolicyOf, readConfig } from '../config.ts';
import { createLog } from '../observability/log.ts';
import { openPanel } from '../panel/pterodactyl.ts';
import { commaList } from '../setting-types.ts';
import { getUser, type Io } from './access.ts';
import { command, list, noun } from './command.ts';
import { Argument, Email, FutureMoment, Name, orNull, PositiveInteger } from './option.ts';
import { CommandError, printable } from './print.ts';
import { roleOf } from './user-account.ts';

const isScope = (input: unknown): input is Scope => (scopes as readonly unknown[]).includes(input);

/** Lazy, because help must work with invalid settings too. */
const offeredScope = ({ env }: Io) =>
  z.lazy(() => {
    const offered = selectOfferedScopes(readConfig(env));
    return z.enum(offered, {
      error: ({ input }) =>
        isScope(input)
          ? `has ${input}, which is offered only with ${input === 'write:console' ? 'CONSOLE_COMMANDS=true' : 'SECRETS_KEY'}`
          : `has the unknown scope ${JSON.stringify(input)}; the scopes are ${offered.join(', ')}`,
    });
  });

const issueOptions = (io: Io) =>
  z.object({
    email: Email.describe("<address> the owner's e-mail address"),
    name: Name.describe('<text> a name for the key'),
    scopes: commaList
      .transform((names) => [...new Set(names)])
      .pipe(z.array(offeredScope(io)).min(1, { error: 'must name at least one scope' }))
      .describe(
        `<list> comma-separated, of: ${scopes.join(', ')} (admin: for administrators, admin:tickets also for support; write:console with CONSOLE_COMMANDS=true, webhooks with SECRETS_KEY)`,
      ),
    expires: orNull(FutureMoment).describe(
      '<time> ISO 8601 time with zone, or date (00:00 UTC); without it the key never expires',
    ),
    servers: orNull(commaList.pipe(KeyServers)).describe(
      "<list> comma-separated identifiers of the owner's servers, the only ones that the key reaches",
    ),
    addresses: orNull(commaList.pipe(KeyAddresses)).describe(
      '<list> comma-separated addresses and ranges, the only ones that the key works from',
    ),
    callsPerMinute: orNull(PositiveInteger).describe(
      "<number> the key's own rate limit; without it, the service's limit applies",
    ),
  });

const KeyId = Argument.describe('the id of the key, as key list shows it');

const noSuchKey = (id: string) => new CommandError(`there is no key ${printable(id)}`);

export const key = noun('API keys', {
  issue: command({
    summary: 'Issue an API key; its secret is printed once and not stored',
    example:
      'key issue --email ada@example.com --name laptop --scopes read:catalog,read:account --expires 2030-01-31',
    options: issueOptions,
    async run(models, { email, expires: expiresAt, servers, ...rest }, { env }) {
      const user = await getUser(models, email);
      refuseForeignScopes(user, rest.scopes);
      const newKey = { ...rest, userId: user._id, servers, expiresAt };
      const config = readConfig(env);
      const at = new Date();
      const problem = keyProblem(newKey, keyPolicyOf(config), at);
      if (problem) throw new CommandError(problem);
      if (servers) await refuseForeignServers(models, { userId: user._id, servers }, config);
      const issued = await models.transaction(async (transaction) => {
        const stored = await models.apiKeys.issue(newKey, at, transaction);
        await recordKeyEvent({ models }, stored.key, { type: 'key.created', at, reason: null, transaction });
        return stored;
      });
      return presentIssued(issued, email);
    },
  }),
  list: list({
    summary: `List a user's live keys, then the last ${pageSizeMax} that were revoked or expired`,
    example: 'key list --email ada@example.com',
    options: z.object({ email: Email.describe("<address> the owner's e-mail address") }),
    async run(models, { email }) {
      const user = await getUser(models, email);
      const now = new Date();
      const [live, ended] = await Promise.all([
        models.apiKeys.listLive(user._id, now),
        models.apiKeys.listEnded(user._id, now, pageSizeMax),
      ]);
      return [...live, ...ended].map(presentKey);
    },
    columns: [
      'id',
      'name',
      'prefix',
      'scopes',
      'servers',
      'addresses',
      'created_at',
      'expires_at',
      'revoked_at',
      'revoked_reason',
    ],
    empty: ({ email }) => `${email} has no keys.`,
  }),
  rename: command({
    summary: 'Rename a key; its secret, scopes and restrictions stay',
    example: 'key rename 0b9c3e2a-58e2-4b55-9d6e-2f8f5a1c7e11 --name laptop',
    options: z.object({
      id: KeyId,
      name: Name.describe('<text> the new name'),
    }),
    async run(models, { id, name }) {
      const key = await models.apiKeys.rename(id, name);
      if (!key) throw noSuchKey(id);
      return { json: presentKey(key), text: `Key ${id} is now named ${printable(name)}.` };
    },
  }),
  revoke: command({
    summary: 'Revoke a key at once and permanently; revoking it again changes nothing',
    example: 'key revoke 0b9c3e2a-58e2-4b55-9d6e-2f8f5a1c7e11',
    options: z.object({ id: KeyId }),
    async run(models, { id }) {
      const ending = { id, at: new Date() };
      const key = await models.transaction((transaction) => revokeKey({ models }, ending, transaction));
      if (!key) throw noSuchKey(id);
      const json = presentKey(key);
      return { json, text: `Key ${id} (${printable(json.name)}) was revoked at ${json.revoked_at}.` };
    },
  }),
});

function presentIssued(issued: { key: ApiKeyRecord; secret: string }, email: string) {
  const { id, prefix, scopes, servers, addresses, expires_at, calls_per_minute } = presentKey(issued.key);
  return {
    json: { id, key: issued.secret, prefix, scopes, servers, addresses, expires_at, calls_per_minute },
    text: [
      `Key ${id} of ${email}, shown once:`,
      issued.secret,
      `Scopes:  ${scopes.join(', ')}`,
      ...(servers ? [`Servers: ${servers.map(printable).join(', ')}`] : []),
      ...(addresses ? [`From:    ${addresses.join(', ')}`] : []),
      `Expires: ${expires_at ?? 'never'}`,
      ...(calls_per_minute ? [`Limit:   ${calls_per_minute} calls a minute`] : []),
    ].join('\n'),
  };
}

function refuseForeignScopes(user: UserRecord, scopes: readonly Scope[]): void {
  const foreign = scopes.filter((scope) => !isScopeFor(user, scope));
  if (foreign.length === 0) return;
  throw new CommandError(`${user.email} is ${roleOf(user)}, so the key cannot have ${foreign.join(', ')}`);
}

const presentKey = (key: ApiKeyRecord) => ({
  id: key._id,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  servers: key.servers ?? null,
  addresses: key.addresses ?? null,
  calls_per_minute: key.callsPerMinute ?? null,
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
  revoked_reason: key.revokedReason ?? null,
});

async function refuseForeignServers(
  models: Models,
  { userId, servers }: { userId: number; servers: readonly string[] },
  config: Config,
): Promise<void> {
  const deps = { clock: Date.now, log: createLog('silent'), onOutcome: () => {} };
  const { panel, stop } = await openPanel(config.panel, deps);
  try {
    const foreign = await findForeignServer({ models, panel, requestId: 'cli', caller: { userId } }, servers);
    if (foreign) throw new CommandError(`the owner has no server ${printable(foreign)}`);
  } finally {
    await stop();
  }
}
