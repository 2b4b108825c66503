/** A service that signs users in at a test identity provider. */
import { startIdentityProvider, type TestIdentityProvider } from './identity-provider.ts';
import { type Answer, startTestService, type TestService } from './service.ts';

interface SingleSignOnTest {
  provider: TestIdentityProvider;
  service: TestService;
  stop(): Promise<void>;
}

/** Starts both; the provider answers with this account. */
export async function startSingleSignOn(
  account: TestIdentityProvider['at']['account'],
): Promise<SingleSignOnTest> {
  const provider = await startIdentityProvider();
  const service = await startTestService({ config: { identityProvider: provider.settings } });
  provider.serve(service.url);
  provider.at.account = account;
  return {
    provider,
    service,
    async stop() {
      await service.stop();
      await provider.stop();
    },
  };
}

/** Status and message of a refused sign-in. */
export async function refusalOf(answer: Promise<Answer>): Promise<[number, string | undefined]> {
  const { status, body } = await answer;
  return [status, body.error?.message];
}
