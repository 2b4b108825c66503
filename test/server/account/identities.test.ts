/** Which answers of the identity provider sign a user in: those about a verified, linked account, with an ID token for this sign-in. */
import { expect } from 'chai';
import { openAccount } from '../../support/account.ts';
import { createCli } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { signInOnce as signIn } from '../../support/identity-provider.ts';
import { answerNotValid, startSingleSignOn, statusAndMessageOf } from '../../support/single-sign-on.ts';
import { useStarted } from '../../support/use-started.ts';

const unverified =
  'Your e-mail address is not verified at the identity provider; verify it there, then sign in again';
const now = () => Math.floor(Date.now() / 1000);

describe('a single sign-on', () => {
  const signOn = useStarted(() => startSingleSignOn());

  const cli = createCli(() => ({ MONGODB_URI: signOn.service.databaseUri }));
  const refusal = () => statusAndMessageOf(signIn(signOn.service));

  const refused: Record<string, [claims: object, message: string]> = {
    'for an account without a user here': [
      { email: 'nobody@example.com' },
      'There is no account for your e-mail address here; ask support',
    ],
    'with an unverified e-mail address': [{ email_verified: false }, unverified],
    'with an e-mail address that is not said to be verified': [{ email_verified: undefined }, unverified],
    'with an e-mail address that a text says is not verified': [{ email_verified: 'false' }, unverified],
    "with an e-mail address that lower case makes another user's": [
      { email: '\u212aim@example.com' },
      'Your e-mail address at the identity provider cannot be used here; ask support',
    ],
    'without e-mail address': [
      { email: undefined },
      'The identity provider did not send your e-mail address',
    ],
  };
  before(() => signOn.service.addUser({ email: 'kim@example.com' }));

  it('accepts an e-mail address that the provider marks as verified with a text, as some do', async () => {
    const { _id } = await signOn.addUser({}, { email_verified: 'true' });
    expect((await signIn(signOn.service)).body.result.data.user.id).to.equal(_id);
  });

  for (const [what, [claims, message]] of Object.entries(refused))
    it(`401: is refused ${what}`, async () => {
      await signOn.addUser({}, claims);
      expect(await refusal()).to.deep.equal([401, message]);
    });

  for (const role of ['isAdmin', 'isSupport'])
    it(`401: links no user with ${role} by e-mail address`, async () => {
      await signOn.addUser({ [role]: true });
      expect(await refusal()).to.deep.equal([
        401,
        'Administrators and support cannot be linked by e-mail address; sign in with your password',
      ]);
    });

  it('links no user who is being deleted, and a later user with that address signs in with the account', async () => {
    const { connection, models } = signOn.service;
    const { _id, email } = await signOn.addUser();
    await models.transaction((transaction) => models.apiKeys.lock([_id], transaction));
    const deleting = await connection.startSession();
    deleting.startTransaction();
    await models.userAccess.delete(_id, new Date(), deleting);
    const countAborted = async () =>
      (await connection.db?.admin().command({ serverStatus: 1 }))?.['transactions'].totalAborted;
    const before = await countAborted();
    const signing = refusal();
    // The sign-in either noticed the deletion or stored a link without noticing it.
    await eventually(async () => {
      const isLinked = (await connection.collection('identities').findOne({ userId: _id })) !== null;
      expect(isLinked || (await countAborted()) > before).to.equal(true);
    });
    await deleting.commitTransaction();
    await deleting.endSession();
    await signing;
    const later = await signOn.service.addUser({ email });
    expect((await signIn(signOn.service)).body.result?.data.user.id).to.equal(later._id);
  });

  it('401: is refused for a second provider account with the same e-mail address', async () => {
    await signOn.addUser();
    await signIn(signOn.service);
    signOn.provider.at.account.sub = 'another';
    expect(await refusal()).to.deep.equal([
      401,
      'The account with your e-mail address is linked to another account at the identity provider; ask support',
    ]);
  });

  it('accepts another provider account once an operator has unlinked the first', async () => {
    const { _id, email } = await signOn.addUser();
    const account = openAccount(signOn.service.url);
    await signIn(signOn.service, account);
    expect(await cli.json(`user unlink --email ${email}`)).to.deep.equal({ unlinked: 1 });
    expect((await account.api.session.current.query()).user, 'the session has ended').to.equal(null);
    signOn.provider.at.account.sub = `another-${_id}`;
    expect((await signIn(signOn.service)).body.result.data.user.id).to.equal(_id);
    const staff = await signOn.addUser({ isAdmin: true });
    expect(await cli.text(`user unlink --email ${staff.email}`)).to.include(
      'was not linked to single sign-on',
    );
  });

  it('401: is refused for a suspended user', async () => {
    const { _id } = await signOn.addUser();
    const users = signOn.service.connection.collection<{ _id: number }>('users');
    await users.updateOne({ _id }, { $set: { isActive: false } });
    expect(await refusal()).to.deep.equal([401, 'This account is suspended; ask support']);
  });

  describe('with an ID token', () => {
    beforeEach(() => signOn.addUser());
    afterEach(() => {
      signOn.provider.at.alter = null;
    });

    const altered: Record<string, (claims: Record<string, unknown>) => Record<string, unknown>> = {
      'for another audience': (claims) => ({ ...claims, aud: 'another client' }),
      'of another issuer': (claims) => ({ ...claims, iss: 'https://other.example' }),
      'with another nonce': (claims) => ({ ...claims, nonce: 'x'.repeat(43) }),
      'without nonce': ({ nonce: _nonce, ...claims }) => claims,
      'that expired two minutes ago': (claims) => ({ ...claims, exp: now() - 120 }),
      'that is not valid for two minutes yet': (claims) => ({ ...claims, nbf: now() + 120 }),
    };
    for (const [what, alter] of Object.entries(altered))
      it(`401: is refused ${what}`, async () => {
        signOn.provider.at.alter = alter;
        expect(await refusal()).to.deep.equal(answerNotValid);
      });

    it('is accepted from a provider that reports only in userinfo whether the e-mail address is verified', async () => {
      const { _id, email } = await signOn.addUser();
      signOn.provider.at.alter = (claims) => ({ ...claims, email, email_verified: null });
      expect((await signIn(signOn.service)).body.result.data.user.id).to.equal(_id);
    });

    const contradicting: Record<string, object> = {
      'says that the address is not verified': { email_verified: false },
      'says so by a text': { email_verified: 'false' },
      'names another address': { email: 'kim@example.com' },
    };
    for (const [what, claimed] of Object.entries(contradicting))
      it(`401: is refused if it ${what}, whatever userinfo reports as verified`, async () => {
        signOn.provider.at.alter = (claims) => ({ ...claims, ...claimed });
        expect(await refusal()).to.deep.equal([401, unverified]);
      });

    it('is accepted from a provider whose clock is 20 seconds off', async () => {
      signOn.provider.at.alter = (claims) => ({ ...claims, exp: now() - 20, nbf: now() + 20 });
      expect((await signIn(signOn.service)).status).to.equal(200);
    });

    it("401: is refused if it is signed with a key that is not the provider's", async () => {
      const { at, foreignKey } = signOn.provider;
      const { signingKey } = at;
      Object.assign(at, { alter: (claims: object) => claims, signingKey: foreignKey() });
      const { status } = await signIn(signOn.service);
      at.signingKey = signingKey;
      expect(status).to.equal(401);
    });
  });
});
