/** The key or access token of the request itself. Its owner manages it in `account/keys.ts`. */
import { z } from 'zod';
import { accessTokenMarker } from '../models/oauth/tokens.ts';
import type { Caller, Context } from './context.ts';
import { NoInput } from './schemas/common.ts';
import { Key } from './schemas/key.ts';
import { endpoint, router } from './trpc.ts';

export const keysRouter = router({
  current: endpoint({
    scope: 'any',
    status: 200,
    openapi: {
      method: 'GET',
      path: '/key',
      tags: ['Account'],
      summary: 'Get this key',
      description:
        "Shows the key that the request is sent with: a good first call. With an app's access token: the app's name, its scopes, and when its access ends at the latest.",
      operationId: 'getCurrentKey',
    },
  })
    .input(NoInput)
    .output(z.object({ key: Key }))
    .query(async ({ ctx }) => {
      const { name, prefix, expiresAt, addresses = null } = await describeCredential(ctx);
      const limit = { calls_per_minute: ctx.caller.callsPerMinute ?? ctx.callLimit.perMinute };
      const scopes = [...ctx.caller.scopes];
      const servers = ctx.caller.servers && [...ctx.caller.servers];
      const expires_at = expiresAt?.toISOString() ?? null;
      return { key: { name, prefix, scopes, servers, addresses, expires_at, limit } };
    }),
});

async function describeCredential({ caller: { app, keyId }, models }: Context & { caller: Caller }) {
  if (app) return { name: app.name, prefix: accessTokenMarker, expiresAt: app.endsAt, addresses: null };
  const key = await models.apiKeys.find(keyId);
  if (!key) throw new Error('The verified key does not exist');
  return key;
}
