/** Lets anybody end keys and tokens that have leaked: who finds one needs no key, and learns nothing about it. */
import { z } from 'zod';
import type { AuditEntryRecord } from '../models/audit-entry.ts';
import type { Context } from './context.ts';
import { recordKeyEvent } from './events.ts';
import { maskSecrets } from './mask-secrets.ts';
import { text } from './schemas/common.ts';
import { endpoint, router } from './trpc.ts';

const credentialsMax = 100;
const credentialMaxLength = 256;

const exampleKey = `gamehost_live_${'x'.repeat(42)}`;

const RevokeRequest = z
  .strictObject({
    credentials: z
      .array(text(credentialMaxLength))
      .min(1)
      .max(credentialsMax)
      .describe('API keys, access tokens and refresh tokens.'),
  })
  .meta({ title: 'CredentialsRevokeRequest', examples: [{ credentials: [exampleKey] }] });

const Accepted = z
  .object({ accepted: z.int().describe('How many were sent.') })
  .meta({ title: 'CredentialsAccepted', examples: [{ accepted: 1 }] });

export const credentialsRouter = router({
  revoke: endpoint({
    scope: null,
    status: 202,
    openapi: {
      method: 'POST',
      path: '/credentials/revoke',
      tags: ['Security'],
      summary: 'Revoke leaked credentials',
      description:
        'Ends keys and tokens that were found where they should not be, at once. The answer is the same whatever the strings are. A token ends its whole connection. Owners see it with the reason. 60 calls an hour from one address.',
    },
  })
    .input(RevokeRequest)
    .output(Accepted)
    .mutation(async ({ ctx, input: { credentials } }) => {
      await ctx.accountLimits.countLeakReport(ctx.address);
      await endAll(ctx, credentials);
      return { accepted: credentials.length };
    }),
});

/** All or nothing, so that a report which failed can be made again with its full effect. */
const endAll = (ctx: Context, credentials: readonly string[]): Promise<void> =>
  ctx.models.transaction(async (transaction) => {
    const { apiKeys, auditEntries, oauthTokens, webhooks } = ctx.models;
    const now = new Date(ctx.clock());
    const keys = await apiKeys.revokeLeaked(credentials, now, transaction);
    const grants = await oauthTokens.endLeaked(credentials, transaction);
    const ended = [
      ...keys.map(({ userId, prefix }) => ({ userId, target: prefix })),
      ...grants.map(({ userId, app }) => ({ userId, target: maskSecrets(app.name) })),
    ];
    if (ended.length === 0) return;
    for (const key of keys)
      await recordKeyEvent(ctx, key, { type: 'key.revoked', at: now, reason: 'leaked', transaction });
    const ids = [...keys, ...grants].map(({ _id }) => _id);
    await webhooks.disableMadeBy(ids, 'The key or app that made it was revoked as leaked', transaction);
    const entries = ended.map((each) => entryOf(ctx, each, now));
    await auditEntries.store(entries, transaction);
  });

/** For the owner, who did not make the call. */
const entryOf = (
  { address, requestId }: Context,
  { userId, target }: Pick<AuditEntryRecord, 'userId' | 'target'>,
  at: Date,
): AuditEntryRecord => ({
  ...{ at, userId, keyId: '', operation: 'credentials.revoke', target, status: 202, code: null },
  ...{ address, requestId, via: 'rest' },
});
