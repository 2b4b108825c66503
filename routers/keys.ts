/** What an API key may know of itself. What its owner does with it is in `own-keys.ts`. */
import { z } from 'zod';
import { Key } from './shapes/key.ts';
import { Nothing } from './shapes/nothing.ts';
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
      description: 'Shows the key of the request itself: a good first call.',
    },
  })
    .input(Nothing)
    .output(z.object({ key: Key }))
    .query(async ({ ctx }) => {
      const key = await ctx.models.apiKeys.find(ctx.caller.keyId);
      if (!key) throw new Error('The key that was verified is not there');
      const { name, prefix, expiresAt } = key;
      const limit = { calls_per_minute: ctx.callLimit.perMinute };
      const scopes = [...ctx.caller.scopes];
      return { key: { name, prefix, scopes, expires_at: expiresAt?.toISOString() ?? null, limit } };
    }),
});
