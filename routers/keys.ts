/** The request's own key or access token. Its owner manages it in `account/keys.ts`. */
import { z } from 'zod';
import type { ApiKeyRecord } from '../models/api-key/store.ts';
import { accessTokenMarker } from '../models/oauth/tokens.ts';
import type { Caller } from './caller.ts';
import { NoInput } from './schemas/common.ts';
import { Key } from './schemas/key.ts';
import { endpoint, router } from './trpc.ts';

type Described = Pick<ApiKeyRecord, 'name' | 'prefix' | 'expiresAt' | 'addresses' | 'callsPerMinute'>;

export const keysRouter = router({
  current: endpoint({
    route: 'GET /key',
    scope: 'any',
    tag: 'Account',
    summary: 'Get this key',
    description:
      "Shows the key of this request: its scopes, restrictions and limit. Use it to check that a key works and what it may do; it is a good first call. For an app's access token, shows the app's name, its scopes, and when its access ends at the latest.",
    operationId: 'getCurrentKey',
  })
    .input(NoInput)
    .output(z.object({ key: Key }))
    .query(({ ctx }) => {
      const { name, prefix, expiresAt, addresses = null, callsPerMinute = null } = describe(ctx.caller);
      const limit = { calls_per_minute: callsPerMinute ?? ctx.callLimit.perMinute };
      const scopes = [...ctx.caller.scopes];
      const servers = ctx.caller.servers && [...ctx.caller.servers];
      const expires_at = expiresAt?.toISOString() ?? null;
      return { key: { name, prefix, scopes, servers, addresses, expires_at, limit } };
    }),
});

function describe(caller: Caller): Described {
  if (caller.kind === 'key') return caller.key;
  if (caller.kind !== 'app') throw new Error('A key or an app calls this');
  const { app, endsAt } = caller.grant;
  return { name: app.name, prefix: accessTokenMarker, expiresAt: endsAt };
}
