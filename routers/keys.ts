/** The key of the request itself. Its owner manages it in `account-keys.ts`. */
import { z } from 'zod';
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
      description: 'Shows the key that the request is sent with: a good first call.',
      operationId: 'getCurrentKey',
    },
  })
    .input(NoInput)
    .output(z.object({ key: Key }))
    .query(async ({ ctx }) => {
      const key = await ctx.models.apiKeys.find(ctx.caller.keyId);
      if (!key) throw new Error('The verified key does not exist');
      const { name, prefix, expiresAt } = key;
      const limit = { calls_per_minute: ctx.caller.callsPerMinute ?? ctx.callLimit.perMinute };
      const scopes = [...ctx.caller.scopes];
      return { key: { name, prefix, scopes, expires_at: expiresAt?.toISOString() ?? null, limit } };
    }),
});
