/** Anyone can end leaked keys and tokens. The finder needs no key, and learns nothing about what was found. */
import { z } from 'zod';
import type { ApiKeyRecord } from '../models/api-key/store.ts';
import { credentialLengthMax, pageSizeMax } from '../models/bounds.ts';
import type { OAuthGrantRecord } from '../models/oauth/grants.ts';
import { accessTokenMarker } from '../models/oauth/tokens.ts';
import type { Context, Transaction } from './context.ts';
import { type KeyOrAccess, recordKeyEvent } from './events.ts';
import { exactText } from './schemas/text.ts';
import { maskSecrets } from './support/mask-secrets.ts';
import { endpoint, router } from './trpc.ts';

const exampleKey = `gamehost_live_${'x'.repeat(42)}`;

const RevokeRequest = z
  .strictObject({
    credentials: z
      .array(exactText(credentialLengthMax))
      .min(1)
      .max(pageSizeMax)
      .describe('The API keys, access tokens and refresh tokens that leaked.'),
  })
  .meta({ title: 'CredentialsRevokeRequest', examples: [{ credentials: [exampleKey] }] });

const Accepted = z
  .object({ accepted: z.int().describe('How many strings the request had.') })
  .meta({ title: 'CredentialsAccepted', description: 'Confirms the report.', examples: [{ accepted: 1 }] });

export const credentialsRouter = router({
  revoke: endpoint({
    route: 'POST /credentials/revoke',
    undo: 'none',
    destructive: true,
    scope: null,
    status: 202,
    operationId: 'revokeCredential',
    tag: 'Security',
    summary: 'Revoke leaked credentials',
    description:
      "Revokes API keys, access tokens and refresh tokens immediately. Use it when you find any where they should not be, even if they are not yours. It is idempotent, and the response is the same whatever the strings are. Ending a token ends its app's whole connection. Everything that a key or an app made ends with it. Owners see that it ended, and why. An address may make 60 calls an hour.",
  })
    .input(RevokeRequest)
    .output(Accepted)
    .mutation(async ({ ctx, input: { credentials } }) => {
      await ctx.accountLimits.countLeakReport(ctx.address);
      await endAll(ctx, credentials);
      return { accepted: credentials.length };
    }),
});

/** Ends all of them or none, so that a failed report can be repeated with full effect. */
const endAll = (ctx: Context, credentials: readonly string[]) =>
  ctx.models.transaction(async (transaction) => {
    const { apiKeys, auditEntries, credentials: made, oauthTokens } = ctx.models;
    const now = new Date(ctx.clock());
    const keys = await apiKeys.revokeLeaked(credentials, now, transaction);
    const grants = await oauthTokens.endLeaked(credentials, transaction);
    const reported = [...keys, ...grants];
    if (reported.length > 0) await made.endDependents(reported, 'leaked', transaction);
    const ended = [
      ...keys.filter(({ revokedAt }) => !revokedAt).map((key) => ({ key, target: key.prefix })),
      ...grants.map((grant) => ({ key: asKey(grant), target: maskSecrets(grant.app.name) })),
    ];
    if (ended.length === 0) return;
    const event = { type: 'key.revoked', at: now, reason: 'leaked', transaction } as const;
    for (const { key } of ended) await recordKeyEvent(ctx, key, event);
    // The owner did not make the call, but sees it in the audit.
    const { address, requestId } = ctx;
    const call = { operation: 'credentials.revoke', status: 202, code: null, via: 'rest' } as const;
    const entries = ended.map(({ key: { userId }, target }) => ({
      at: now,
      userId,
      keyId: '',
      target,
      address,
      requestId,
      ...call,
    }));
    await auditEntries.store(entries, transaction);
  });

/** Also ends everything that the key made, and records the event. Resolves to null if the user does not have this key. */
export async function revokeKey(
  { models }: Pick<Context, 'models'>,
  { at, ...wanted }: { id: string; userId?: number; at: Date },
  transaction: Transaction,
): Promise<ApiKeyRecord | null> {
  const { key, isChanged } = await models.credentials.revokeKey(wanted, at, transaction);
  const event = { type: 'key.revoked', at, reason: null, transaction } as const;
  if (key && isChanged) await recordKeyEvent({ models }, key, event);
  return key;
}

const asKey = ({ _id, userId, app, scopes, endsAt }: OAuthGrantRecord): KeyOrAccess => ({
  _id,
  userId,
  name: app.name,
  prefix: accessTokenMarker,
  scopes,
  expiresAt: endsAt,
});
