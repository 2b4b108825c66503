/** A service, a user with one of each resource, and that user's keys, which may be restricted. */
import { openAccount } from './account.ts';
import { addSamples, keyedOperations } from './samples.ts';
import { startTestService } from './service.ts';

interface Restrictions {
  servers?: string[];
  addresses?: string[];
}

const newKeyScopes = ['read:catalog', 'read:account', 'write:servers'];

export async function startWithRestrictedKeys() {
  const service = await startTestService({ rateLimitPerMinute: 1_000_000, config: { trustProxy: true } });
  const { user, restore } = await addSamples(service);
  const account = async () => {
    const { api, cookies } = openAccount(service.url);
    const { token } = await service.models.sessions.open({ user }, new Date(service.clock.now()));
    cookies.set('gamehost_session', token);
    return api;
  };
  return {
    ...service,
    user,
    restore,
    account,
    /** A key with all scopes that operations need, whether the page offers them or not. */
    makeKey: (restrictions: Restrictions) => {
      const newKey = {
        userId: user._id,
        name: 'test',
        scopes: keyedOperations.map(({ scope }) => String(scope)),
      };
      return service.models.apiKeys.issue({ ...newKey, ...restrictions, expiresAt: null }, new Date());
    },
    /** Creates a key on the account page, an hour after the last one, as the page limits new keys by time. */
    create: async (restrictions: Restrictions) => {
      service.clock.advance(3_600_000);
      return (await account()).keys.create.mutate({ name: 'test', scopes: newKeyScopes, ...restrictions });
    },
    removeKeys: () => service.connection.collection('api_keys').deleteMany({ userId: user._id }),
  };
}

export const refusalMessageOf = (making: Promise<unknown>): Promise<string> =>
  making.then(
    () => 'made',
    (failure: Error) => failure.message,
  );
