/** A new staff member keeps no means of sign-in that others may have left, such as a key that manages users. */
import { expect } from 'chai';
import { openAccount, signInAccount } from '../../support/account.ts';
import { createCli } from '../../support/cli.ts';
import { failureOf } from '../../support/failure-of.ts';
import { signInOnce } from '../../support/identity-provider.ts';
import { startSingleSignOn } from '../../support/single-sign-on.ts';
import { useStarted } from '../../support/use-started.ts';

describe('npm run cli: user set with a new role', () => {
  const at = useStarted(() => startSingleSignOn());
  const cli = createCli(() => ({ MONGODB_URI: at.service.databaseUri }));
  const notLinked = [
    ...[401, 'Administrators and support cannot be linked by e-mail address; sign in with your password'],
  ];
  const signOn = async (account?: ReturnType<typeof openAccount>) => {
    const { status, body } = await signInOnce(at.service, account);
    return [status, body.error?.message ?? body.result.data.user.email];
  };
  const currentOf = async (account: ReturnType<typeof openAccount>) =>
    (await account.api.session.current.query()).user?.email ?? null;

  /** A customer with a link from the host's system that the customer's browser used, and with another, unused one. */
  async function withLeftovers() {
    const user = await at.addUser({ externalId: `customer-${Math.random()}`.replace('0.', '') });
    const { secret: billing } = await at.service.addKey({
      user: await at.service.addUser({ isAdmin: true }),
    });
    const link = async () => {
      const path = `/admin/users/${user.externalId}/sign-in-link`;
      const { body } = await at.service.call('POST', path, { key: billing });
      return new URL(body.url).hash.slice(1);
    };
    const [byLink, byIdentity] = [openAccount(at.service.url), openAccount(at.service.url)];
    await byLink.api.session.signInByLink.mutate({ token: await link() });
    await signOn(byIdentity);
    const sessions = [byLink, byIdentity, await signInAccount(at.service.url, user)];
    return { user, sessions, token: await link() };
  }

  for (const role of ['admin', 'support'])
    it(`--${role}: ends the user's sessions, sign-in links, linked identities and password`, async () => {
      const { user, sessions, token } = await withLeftovers();
      for (const session of sessions) expect(await currentOf(session)).to.equal(user.email);
      expect(await cli.text(`user set --email ${user.email} --${role}`)).to.include('has no password now');
      for (const session of sessions) expect(await currentOf(session)).to.equal(null);
      expect((await openAccount(at.service.url).call('session.signInByLink', { token })).status).to.equal(
        401,
      );
      expect((await failureOf(signInAccount(at.service.url, user))).message).to.include('password is wrong');
      expect(await signOn()).to.deep.equal(notLinked);
    });

  it('--password: sets a new password too, and an identity linked while signed in counts again', async () => {
    const { user } = await withLeftovers();
    const password = 'another long horse';
    const command = `user set --email ${user.email} --admin --password -`;
    expect(await cli.json(command, `${password}\n`)).to.include({ admin: true });
    const account = await signInAccount(at.service.url, { email: user.email, password });
    expect(await signOn()).to.deep.equal(notLinked);
    expect(await signOn(account)).to.deep.equal([200, user.email]);
    expect(await signOn()).to.deep.equal([200, user.email]);
  });

  it('refuses to link an identity with another e-mail address or of another user', async () => {
    const staff = await at.addUser({ isAdmin: true });
    const account = await signInAccount(at.service.url, staff);
    const other = await at.addUser({ isSupport: true });
    expect(await signOn(account)).to.deep.equal(notLinked);
    expect(await currentOf(account)).to.equal(staff.email);
    at.provider.at.account.sub = 'stranger';
    at.provider.at.account['email'] = 'stranger@example.com';
    expect((await signOn(await signInAccount(at.service.url, other)))[0]).to.equal(401);
  });

  it("allows linking an identity in a session opened by an operator's link", async () => {
    const staff = await at.addUser({ isSupport: true });
    const { url } = await cli.json(`user link --email ${staff.email}`);
    const account = openAccount(at.service.url);
    await account.api.session.signInByLink.mutate({ token: new URL(url).hash.slice(1) });
    expect(await signOn(account)).to.deep.equal([200, staff.email]);
    expect(await signOn()).to.deep.equal([200, staff.email]);
  });

  it('ends nothing for a user who already has the role, or loses it', async () => {
    const staff = await at.service.addUser({ isAdmin: true });
    const account = await signInAccount(at.service.url, staff);
    for (const change of ['--admin', '--no-support', '--no-admin']) {
      await cli.json(`user set --email ${staff.email} ${change}`);
      expect(await currentOf(account)).to.equal(staff.email);
    }
  });
});
