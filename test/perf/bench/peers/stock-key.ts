/** The key check of the peers on our own models. */
import type { Models } from '../../../../models/index.ts';
import type { Caller } from '../../../../routers/context.ts';
import { Scope } from '../../../../routers/scopes.ts';

export async function callerOf(models: Models, secret: string): Promise<Caller | null> {
  const now = new Date();
  const { key, refusal } = await models.apiKeys.verify(secret, now);
  if (refusal) return null;
  await models.apiKeys.touch(key, now);
  const isScope = (scope: string): scope is Scope => Scope.safeParse(scope).success;
  const scopes = key.scopes.filter(isScope);
  return { userId: key.userId, keyId: key._id, scopes, callsPerMinute: null, app: null };
}
