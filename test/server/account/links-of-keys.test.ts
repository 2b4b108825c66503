/** After its key leaks or its user becomes staff, a sign-in link of a host's key leaves no password or passkey behind. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { type Account, openAccount, signInAccount } from '../../support/account.ts';
import type { createAuthenticator } from '../../support/authenticator.ts';
import { createCli } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { useMailService } from '../../support/mail-service.ts';
import { profile } from '../../support/profiler.ts';
import {
  addAppUser,
  addPasskey,
  codeOf,
  namedUrl,
  outcomeOf,
  signedInEmailOf,
} from '../../support/second-factor.ts';

type Authenticator = ReturnType<typeof createAuthenticator>;

const refused = [401, 'This passkey does not work here; try again, or sign in another way'];
const fromLink = 'This passkey was added after signing in by a link: sign in with your password first';
const fromBefore = 'This passkey was added before you became staff: sign in with your password first';
const password = 'battery staple 9';

describe("a session opened by a key's link", () => {
  const service = useMailService();
  const cli = createCli(() => ({
    MONGODB_URI: service.databaseUri,
    SECRETS_KEY: Buffer.alloc(32, 'webhooks').toString('base64'),
  }));
  const open = () => openAccount(namedUrl(service));

  let count = 0;
  /** A host key, a user that it created without a password, and a browser that followed its link. */
  async function linked() {
    count += 1;
    const host = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const path = `/admin/users/customer-${count}`;
    const put = { key: host.secret, body: { email: `customer${count}@example.com` } };
    const { user } = (await service.call('PUT', path, put)).body;
    const { body } = await service.call('POST', `${path}/sign-in-link`, { key: host.secret });
    const account = open();
    await account.api.session.signInByLink.mutate({ token: new URL(body.url).hash.slice(1) });
    return { user: { ...user, _id: user.id } as UserRecord, host, account };
  }

  const report = (secret: string) =>
    service.call('POST', '/credentials/revoke', { body: { credentials: [secret] } });
  const setPassword = ({ api }: Account) => api.session.changePassword.mutate({ new_password: password });
  const promote = ({ email }: UserRecord) =>
    cli.json(`user set --email ${email} --support --password -`, 'correct horse');

  async function show(account: Account, authenticator: Authenticator) {
    const { options } = await account.api.session.askForPasskey.mutate();
    return outcomeOf(await account.call('session.showFactor', { passkey: authenticator.get(options) }));
  }
  const statusOfPassword = async ({ email }: UserRecord, given = password) =>
    (await open().call('session.signIn', { email, password: given })).status;

  describe('loses every way to sign in when its key is reported as leaked:', () => {
    it('the password set in it and the sessions of that password, as a mail informs the user', async () => {
      const { user, host, account } = await linked();
      await setPassword(account);
      const byPassword = await signInAccount(namedUrl(service), { ...user, password });
      expect(await signedInEmailOf(byPassword)).to.equal(user.email);
      await report(host.secret);
      expect(await signedInEmailOf(byPassword)).to.equal(null);
      expect(await statusOfPassword(user)).to.equal(401);
      const mails = await service.smtp.waitFor(user.email, 2);
      expect(mails.map(({ subject }) => subject)).to.have.members([
        'Your password was changed',
        'Your password was removed',
      ]);
    });

    it('the password that later replaced one set in it', async () => {
      const { user, host, account } = await linked();
      await setPassword(account);
      const { api } = await signInAccount(namedUrl(service), { ...user, password });
      await api.session.changePassword.mutate({
        current_password: password,
        new_password: 'another staple 9',
      });
      await report(host.secret);
      expect(await statusOfPassword(user, 'another staple 9')).to.equal(401);
    });

    it('the passkeys added in it, in a session of its password, or in a session of such a passkey', async () => {
      const { user, host, account } = await linked();
      await setPassword(account);
      const byPassword = await signInAccount(namedUrl(service), { ...user, password });
      const first = await addPasskey(namedUrl(service), byPassword);
      const byPasskey = open();
      expect(await show(byPasskey, first.authenticator)).to.deep.equal([200, undefined]);
      const second = await addPasskey(namedUrl(service), byPasskey);
      await report(host.secret);
      expect(await signedInEmailOf(byPasskey)).to.equal(null);
      for (const { authenticator } of [first, second])
        expect(await show(open(), authenticator)).to.deep.equal(refused);
      expect(await service.models.secondFactors.find(user._id)).to.equal(null);
      expect((await service.models.users.find(user._id))?.hasSecondFactor).to.equal(false);
    });

    it('even if the key was revoked before', async () => {
      const { user, host, account } = await linked();
      await setPassword(account);
      await cli.text(`key revoke ${host.key._id}`);
      expect(await statusOfPassword(user)).to.equal(200);
      await report(host.secret);
      expect(await statusOfPassword(user)).to.equal(401);
    });

    it('but nothing that the user has set without it', async () => {
      const { user, host } = await linked();
      await cli.json(`user set --email ${user.email} --password -`, 'correct horse');
      const account = await signInAccount(namedUrl(service), user);
      const { authenticator } = await addPasskey(namedUrl(service), account);
      await report(host.secret);
      expect(await signedInEmailOf(account)).to.equal(user.email);
      expect(await show(open(), authenticator)).to.deep.equal([200, undefined]);
      expect(await statusOfPassword(user, 'correct horse')).to.equal(200);
    });

    it('the second factors of any of a hundred users, without a MongoDB call for each', async () => {
      const { host } = await linked();
      const added = {
        ...{ kind: 'app', name: 'Phone', secret: '', linkKeyId: host.key._id },
        ...{ spent: [], createdAt: new Date(), lastUsedAt: null },
      };
      const holderOf = (_id: number) => ({
        _id,
        factors: [{ ...added, id: `of ${_id}` }],
        recoveryCodes: [],
      });
      const holders = service.connection.collection<{ _id: number }>('second_factors');
      const countCalls = async () => {
        const calls = await profile(service.connection, async () => void (await report(host.secret)));
        return calls.filter(({ ns }) => /[.](second_factors|users)$/.test(ns)).length;
      };
      await holders.insertOne(holderOf(1_000_000));
      const ofOne = await countCalls();
      await holders.insertMany(Array.from({ length: 100 }, (_, index) => holderOf(2_000_000 + index)));
      // The service also reads users in the background.
      expect(await countCalls()).to.be.below(ofOne + 50);
      expect(await holders.countDocuments({ _id: { $gte: 1_000_000 } })).to.equal(0);
    });

    it('even if it is used during the report', async () => {
      for (let times = 0; times < 5; times += 1) {
        const { user, host, account } = await linked();
        await Promise.all([setPassword(account).catch(() => {}), report(host.secret)]);
        expect(await statusOfPassword(user)).to.equal(401);
        const other = await linked();
        const { authenticator } = await addPasskey(namedUrl(service), other.account);
        const browser = open();
        await Promise.all([show(browser, authenticator), report(other.host.secret)]);
        expect(await signedInEmailOf(browser)).to.equal(null);
      }
    });
  });

  describe('gives no staff rights after a promotion:', () => {
    it('401: a passkey from a session of its password signs in only after the new password', async () => {
      const { user, account } = await linked();
      await setPassword(account);
      const byPassword = await signInAccount(namedUrl(service), { ...user, password });
      const { authenticator } = await addPasskey(namedUrl(service), byPassword);
      await promote(user);
      expect(await statusOfPassword(user)).to.equal(401);
      expect(await show(open(), authenticator)).to.deep.equal([401, fromLink]);
    });

    it('401: any older passkey signs in only after its user has shown it after the new password', async () => {
      const user = await service.addUser();
      const { authenticator } = await addPasskey(
        namedUrl(service),
        await signInAccount(namedUrl(service), user),
      );
      await promote(user);
      expect(await show(open(), authenticator)).to.deep.equal([401, fromBefore]);
      const account = open();
      await account.api.session.signIn.mutate({ email: user.email, password: 'correct horse' });
      expect(await show(account, authenticator)).to.deep.equal([200, undefined]);
      expect(await show(open(), authenticator)).to.deep.equal([200, undefined]);
    });
  });

  it('401: accepts no second factor once it has ended', async () => {
    const { user, account, secret } = await addAppUser(service);
    const { token } = await service.models.signInLinks.create(user._id, new Date(service.clock.now()));
    const other = open();
    await other.api.session.signInByLink.mutate({ token });
    const blocking = await service.connection.startSession();
    blocking.startTransaction();
    const factors = service.connection.collection<{ _id: number }>('second_factors');
    await factors.updateOne({ _id: user._id }, { $set: { 'factors.0.name': 'Held' } }, { session: blocking });
    const shown = account.call('session.showFactor', { code: codeOf(service, secret) });
    await eventually(async () => {
      const running = await service.connection.db?.admin().command({ currentOp: 1, op: 'update' });
      const commands = running?.['inprog'].map(({ ns }: { ns: string }) => ns);
      expect(commands).to.include(`${service.connection.name}.second_factors`);
    });
    await other.api.sessions.endOthers.mutate({});
    await blocking.commitTransaction();
    await blocking.endSession();
    expect((await shown).status).to.equal(401);
  });
});
