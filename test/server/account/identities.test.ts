/** Which user an account at the identity provider signs in, and which accounts are refused. */
import { expect } from 'chai';
import { signInOnce as signIn, type TestIdentityProvider } from '../../support/identity-provider.ts';
import type { TestService } from '../../support/service.ts';
import { refusalOf, startSingleSignOn } from '../../support/single-sign-on.ts';

const ann = { sub: 'ann-1', email: 'Ann@Example.com', email_verified: true };

describe('the account at the identity provider', () => {
  let provider: TestIdentityProvider;
  let service: TestService;
  let stop: () => Promise<void>;

  beforeEach(async () => {
    ({ provider, service, stop } = await startSingleSignOn(ann));
  });
  afterEach(() => stop());

  const addAnn = () => service.addUser({ email: 'ann@example.com' });

  const refused = {
    'an account without a user here': [{}, 'There is no account for your e-mail address here; ask support'],
    'an unverified e-mail address': [
      { email_verified: false },
      'Your e-mail address is not verified at the identity provider; verify it there, then sign in again',
    ],
    'an e-mail address that is not said to be verified': [
      { email_verified: undefined },
      'Your e-mail address is not verified at the identity provider; verify it there, then sign in again',
    ],
    'an e-mail address verified by a text': [
      { email_verified: 'true' },
      'Your e-mail address is not verified at the identity provider; verify it there, then sign in again',
    ],
    'an account without e-mail address': [
      { email: undefined },
      'The identity provider did not tell your e-mail address',
    ],
  } as const;
  for (const [what, [claims, message]] of Object.entries(refused))
    it(`refuses ${what} with 401`, async () => {
      if (Object.keys(claims).length > 0) await addAnn();
      provider.at.account = { ...ann, ...claims };
      expect(await refusalOf(signIn(service))).to.deep.equal([401, message]);
    });

  for (const [who, role] of [
    ['an administrator', { isAdmin: true }],
    ['a member of support', { isSupport: true }],
  ] as const)
    it(`never links ${who} by e-mail address`, async () => {
      await service.addUser({ email: 'ann@example.com', ...role });
      expect(await refusalOf(signIn(service))).to.deep.equal([
        401,
        'Administrators and support cannot be linked by e-mail address; sign in with your password',
      ]);
    });

  it('refuses a second account of the provider with the same e-mail address', async () => {
    await addAnn();
    await signIn(service);
    provider.at.account = { ...ann, sub: 'ann-2' };
    expect(await refusalOf(signIn(service))).to.deep.equal([
      401,
      'The account with your e-mail address is linked to another account at the identity provider',
    ]);
  });

  it('refuses a suspended user with 401', async () => {
    const user = await addAnn();
    await service.connection
      .collection<{ _id: number }>('users')
      .updateOne({ _id: user._id }, { $set: { isActive: false } });
    expect(await refusalOf(signIn(service))).to.deep.equal([401, 'This account is suspended; ask support']);
  });
});
