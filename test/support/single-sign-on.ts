/** A service that signs users in at a test identity provider. */
import type { NewUser, UserRecord } from '../../models/user.ts';
import { startIdentityProvider } from './identity-provider.ts';
import { type Answer, startTestService } from './service.ts';

type Options = Parameters<typeof startIdentityProvider>[0] & { createsUsers?: boolean; isStrong?: boolean };

export async function startSingleSignOn({
  createsUsers = false,
  isStrong = false,
  ...options
}: Options = {}) {
  const provider = await startIdentityProvider(options);
  const config = { identityProvider: { ...provider.settings, createsUsers, isStrong }, trustProxy: true };
  const service = await startTestService({ config });
  provider.serve(service.url);
  return {
    provider,
    service,
    /** Adds a user and signs the provider in as that user, with these claims replacing the user's own. */
    async addUser(profile: Partial<NewUser> = {}, claims: object = {}): Promise<UserRecord> {
      const user = await service.addUser(profile);
      const { email, _id } = user;
      provider.at.account = { sub: `subject-${_id}`, email, email_verified: true, ...claims };
      return user;
    },
    async stop() {
      await service.stop();
      await provider.stop();
    },
  };
}

export const answerNotValid = [401, "The identity provider's answer is not valid; try again"];

export async function statusAndMessageOf(answer: Promise<Answer>): Promise<[number, string | undefined]> {
  const { status, body } = await answer;
  return [status, body.error?.message];
}
