/** A service for the tests of a `describe`, with one user and that user's key with all scopes. */
import { addSamples } from './samples.ts';
import { startTestService, type TestService } from './service.ts';
import { useStarted } from './use-started.ts';

type Options = Parameters<typeof startTestService>[0];

export const useCustomer = (options?: Options) => useKeyed(options, (service) => addKeyed(service, false));

export const useAdmin = (options?: Options) => useKeyed(options, (service) => addKeyed(service, true));

/** With an administrator and everything that sample requests refer to; `restore()` puts it back. */
export const useSamples = (options?: Options) => useKeyed(options, addSamples);

/** With panel user 7, who owns servers; `otherUser` is the key of panel user 8. */
export const useOwner = (options?: Options) => useKeyed(options, addServerOwner);

const useKeyed = <Added extends object>(options: Options, add: (service: TestService) => Promise<Added>) =>
  useStarted(async () => {
    const service = await startTestService(options);
    return { ...service, ...(await add(service)) };
  });

async function addKeyed({ addKey, addUser }: TestService, isAdmin: boolean) {
  const { user, secret: key } = await addKey({ user: await addUser({ isAdmin }) });
  return { user, key };
}

async function addServerOwner({ addKey, addUser }: TestService) {
  const { user, secret: key } = await addKey({ user: await addUser({ panelUserId: 7 }) });
  const { secret: otherUser } = await addKey({ user: await addUser({ panelUserId: 8 }) });
  return { user, key, otherUser };
}
