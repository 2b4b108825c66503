/** ID tokens of the identity provider: one that is not exactly for this sign-in is refused. */
import { expect } from 'chai';
import { signInOnce as signIn, type TestIdentityProvider } from '../../support/identity-provider.ts';
import type { TestService } from '../../support/service.ts';
import { refusalOf, startSingleSignOn } from '../../support/single-sign-on.ts';

const ann = { sub: 'ann-1', email: 'Ann@Example.com', email_verified: true };

describe('the ID token of a single sign-on', () => {
  let provider: TestIdentityProvider;
  let service: TestService;
  let stop: () => Promise<void>;

  beforeEach(async () => {
    ({ provider, service, stop } = await startSingleSignOn(ann));
  });
  afterEach(() => stop());

  const addAnn = () => service.addUser({ email: 'ann@example.com' });

  const now = () => Math.floor(Date.now() / 1000);
  const altered: Record<string, (claims: Record<string, unknown>) => Record<string, unknown>> = {
    'for another audience': (claims) => ({ ...claims, aud: 'another client' }),
    'of another issuer': (claims) => ({ ...claims, iss: 'https://other.example' }),
    'with another nonce': (claims) => ({ ...claims, nonce: 'x'.repeat(43) }),
    'without nonce': ({ nonce: _nonce, ...claims }) => claims,
    'that expired two minutes ago': (claims) => ({ ...claims, exp: now() - 120 }),
    'that is not valid for two minutes yet': (claims) => ({ ...claims, nbf: now() + 120 }),
  };
  for (const [what, alter] of Object.entries(altered))
    it(`is refused ${what}`, async () => {
      await addAnn();
      provider.at.alter = alter;
      expect(await refusalOf(signIn(service))).to.deep.equal([
        401,
        'The answer of the identity provider is not valid; try again',
      ]);
    });

  it("is refused when signed with a key that is not the provider's", async () => {
    await addAnn();
    provider.at.alter = (claims) => claims;
    provider.at.signingKey = provider.foreignKey();
    expect((await signIn(service)).status).to.equal(401);
  });

  it('is accepted from a provider whose clock is 20 seconds off', async () => {
    await addAnn();
    provider.at.alter = (claims) => ({ ...claims, exp: now() - 20, nbf: now() + 20 });
    expect((await signIn(service)).status).to.equal(200);
  });
});
