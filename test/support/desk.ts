/** The support desk of the account page: two members of the staff, and a customer for each test. */
import type { UserRecord } from '../../models/user.ts';
import { type Account, signInAccount } from './account.ts';
import { useService } from './service.ts';

type SignedIn = { user: UserRecord; api: Account['api'] };

export function useDeskService() {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  const enter = async (user: UserRecord): Promise<SignedIn> => ({
    ...{ user, api: (await signInAccount(service.url, user)).api },
  });
  // The hooks set the rest before a test reads it.
  const at = { service } as {
    service: typeof service;
    robin: SignedIn;
    kim: SignedIn;
    dana: SignedIn & { key: string };
  };
  before(async () => {
    at.robin = await enter(await service.addUser({ isSupport: true, nickname: 'Robin' }));
    at.kim = await enter(await service.addUser({ isAdmin: true, nickname: ' ' }));
  });
  beforeEach(async () => {
    const { user, secret: key } = await service.addKey({ user: await service.addUser({ nickname: 'dana' }) });
    at.dana = { ...(await enter(user)), key };
  });
  return {
    at,
    async open(title = 'Lag since noon'): Promise<number> {
      const request = { title, message: 'Players time out.' };
      return (await at.dana.api.tickets.create.mutate(request)).ticket.id;
    },
    addWebhook: () =>
      service.models.transaction((transaction) =>
        service.models.webhooks.add(
          {
            ...{ userId: at.dana.user._id, audience: 'customer', url: 'https://hooks.example.com/' },
            ...{ format: 'standard', events: ['*'], description: null },
          },
          new Date(),
          transaction,
        ),
      ),
  };
}

/** The status and the message of a refused call; empty on success. */
export const describeRefusal = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    ({ data, message }) => `${data.httpStatus} ${message}`,
  );
