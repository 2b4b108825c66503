/** How strong a session is, by how it began and for how long, and the limits of staff without a second factor. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { type Account, openAccount, signInAccount } from '../../support/account.ts';
import type { createAuthenticator } from '../../support/authenticator.ts';
import { createCli } from '../../support/cli.ts';
import { signInOnce } from '../../support/identity-provider.ts';
import { useMailService } from '../../support/mail-service.ts';
import {
  addAppUser,
  addAuthenticatorApp,
  addPasskey,
  codeOf,
  givePassword,
  namedUrl,
  outcomeOf,
  passTimeInUse,
  signedInEmailOf,
  stepMs,
} from '../../support/second-factor.ts';
import { type TestService, useService } from '../../support/service.ts';
import { startSingleSignOn } from '../../support/single-sign-on.ts';
import { useStarted } from '../../support/use-started.ts';

const hourMs = 60 * 60_000;
const lacking = [403, 'Administrators and support need a second factor here: show yours, or add one'];
const config = { staffNeedsSecondFactor: true };

const statusOf = async (account: Account, procedure = 'keys.list') => (await account.call(procedure)).status;

describe('staff where STAFF_SECOND_FACTOR is true', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000, config, hasApps: false });

  for (const role of [{ isAdmin: true }, { isSupport: true }])
    it(`403: must add a second factor first (${Object.keys(role)}), and then has full access`, async () => {
      const account = await signInAccount(service.url, await service.addUser(role));
      const { lacks_factor, user } = await account.api.session.current.query();
      expect([lacks_factor, user === null]).to.deep.equal([true, false]);
      for (const procedure of ['keys.list', 'admin.listTickets', 'tickets.list', 'sessions.list']) {
        const answer = await account.call(procedure);
        expect(outcomeOf(answer), procedure).to.deep.equal(lacking);
        expect(answer.body.error.data.code).to.equal('strong_session_required');
      }
      const newKey = { name: 'Deploy', scopes: ['admin:tickets'], expires_at: null };
      expect(outcomeOf(await account.call('keys.create', newKey))).to.deep.equal(lacking);
      expect(
        outcomeOf(await account.call('apps.allow', { request_id: 'any', scopes: ['read:account'] })),
      ).to.deep.equal(lacking);
      await addAuthenticatorApp(service, account);
      expect((await account.api.session.current.query()).lacks_factor).to.equal(false);
      expect(await statusOf(account)).to.equal(200);
      expect((await account.call('keys.create', newKey)).status).to.equal(200);
    });

  it('must show it again after twelve hours', async () => {
    const { user, secret } = await addAppUser(service, { isAdmin: true });
    const account = await signInAccount(service.url, user);
    await account.api.session.showFactor.mutate({ code: codeOf(service, secret) });
    await passTimeInUse(service, user, 12 * hourMs - 60_000);
    expect(await statusOf(account)).to.equal(200);
    service.clock.advance(60_000);
    expect(outcomeOf(await account.call('keys.list'))).to.deep.equal(lacking);
    expect(outcomeOf(await account.call('factors.beginAuthenticatorApp', {}))[0]).to.equal(403);
    await account.api.session.showFactor.mutate({ code: codeOf(service, secret) });
    expect(await statusOf(account)).to.equal(200);
  });

  it('keep older keys', async () => {
    const { secret: key } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    expect((await service.call('GET', '/admin/users', { key })).status).to.equal(200);
  });

  it('must show it after a link of the command line, while customers need not', async () => {
    const staff = await service.addUser({ isSupport: true });
    const { token } = await service.models.signInLinks.create(staff._id, new Date(service.clock.now()));
    const account = openAccount(service.url);
    await account.api.session.signInByLink.mutate({ token });
    expect(outcomeOf(await account.call('keys.list'))).to.deep.equal(lacking);
    expect(await statusOf(await signInAccount(service.url, await service.addUser()))).to.equal(200);
  });

  it("must show it after a customer's promotion, and the factors of that customer stay", async () => {
    const { user, secret } = await addAppUser(service);
    await service.models.userAccess.change(
      user.email,
      { isSupport: true, password: 'correct horse' },
      new Date(service.clock.now()),
    );
    const account = openAccount(service.url);
    await account.api.session.signIn.mutate({ email: user.email, password: 'correct horse' });
    expect(await signedInEmailOf(account)).to.equal(null);
    await account.api.session.showFactor.mutate({ code: codeOf(service, secret) });
    expect(await statusOf(account)).to.equal(200);
  });
});

describe('a passkey added in a session of a key’s sign-in link, or in a session begun by such a passkey', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });

  it("401: signs in staff only after the password, because the key's holder may have added it", async () => {
    const [user, { key }] = [await service.addUser(), await service.addKey()];
    const now = new Date(service.clock.now());
    const { token } = await service.models.signInLinks.create(user._id, now, { keyId: key._id });
    const url = namedUrl(service);
    const show = async ({ api, call }: Account, { get }: ReturnType<typeof createAuthenticator>) => {
      const { options } = await api.session.askForPasskey.mutate();
      return outcomeOf(await call('session.showFactor', { passkey: get(options) }));
    };
    const [byLink, byPasskey] = [openAccount(url), openAccount(url)];
    await byLink.api.session.signInByLink.mutate({ token });
    const first = await addPasskey(url, byLink);
    expect(await show(byPasskey, first.authenticator)).to.deep.equal([200, undefined]);
    const second = await addPasskey(url, byPasskey);
    await service.models.userAccess.change(user.email, { isAdmin: true, password: 'correct horse' }, now);
    for (const { authenticator } of [first, second]) {
      expect(await show(openAccount(url), authenticator)).to.deep.equal([
        401,
        'This passkey was added after signing in by a link: sign in with your password first',
      ]);
      const account = await givePassword({ ...service, url }, user);
      expect(await show(account, authenticator)).to.deep.equal([200, undefined]);
    }
  });
});

describe('a user with a second factor', () => {
  const service = useMailService();

  const follow = async (token: string) => {
    const account = openAccount(service.url);
    return { account, ...(await account.api.session.signInByLink.mutate({ token })) };
  };

  it('must show it after a mailed link, before a password can be set', async () => {
    const { user, secret } = await addAppUser(service);
    await openAccount(service.url).api.session.mailLink.mutate({ email: user.email });
    const find = () =>
      service.smtp.received.find(
        ({ to, subject }) => to === user.email && subject === 'Your link to sign in',
      );
    for (let count = 1; !find(); count += 1) await service.smtp.waitFor(user.email, count);
    const token = /\/account\/link#([\w-]{43})/.exec(find()?.text ?? '')?.[1] ?? '';
    const { account, ...answer } = await follow(token);
    expect(answer).to.deep.equal({ user: null, password: null });
    expect(
      (await account.call('session.changePassword', { new_password: 'battery staple 9' })).status,
    ).to.equal(401);
    const shown = await account.api.session.showFactor.mutate({ code: codeOf(service, secret) });
    expect([shown.user?.email, shown.password]).to.deep.equal([user.email, 'replaceable']);
    await account.api.session.changePassword.mutate({ new_password: 'battery staple 9' });
    expect(await signedInEmailOf(account)).to.equal(user.email);
  });

  it('signs in without it by a link from a key or the command line, but the session is not strong', async () => {
    const { user, secret } = await addAppUser(service);
    const { key } = await service.addKey();
    for (const made of [{}, { keyId: key._id }]) {
      const { token } = await service.models.signInLinks.create(
        user._id,
        new Date(service.clock.now()),
        made,
      );
      const { account } = await follow(token);
      expect(await signedInEmailOf(account)).to.equal(user.email);
      expect(outcomeOf(await account.call('factors.beginAuthenticatorApp', {}))[0]).to.equal(403);
      await account.api.session.showFactor.mutate({ code: codeOf(service, secret) });
      expect(outcomeOf(await account.call('factors.beginAuthenticatorApp', {}))[0]).to.equal(200);
      service.clock.advance(2 * stepMs);
    }
  });

  it('is notified by mail of added and removed factors, used recovery codes, and a removal of all by support', async () => {
    const user = await service.addUser();
    const account = await signInAccount(service.url, user);
    const { recoveryCodes } = await addAuthenticatorApp(service, account);
    const [{ id = '' } = {}] = (await account.api.factors.list.query()).factors;
    await account.api.session.showFactor.mutate({ code: recoveryCodes[0] });
    await account.api.factors.remove.mutate({ id });
    await addAuthenticatorApp(service, account, 'Tablet');
    const cli = createCli({
      MONGODB_URI: service.databaseUri,
      SECRETS_KEY: Buffer.alloc(32, 'webhooks').toString('hex'),
    });
    expect(await cli.json(`user reset-factors --email ${user.email}`)).to.deep.equal({ removed: 1 });
    const mails = await service.smtp.waitFor(user.email, 5);
    expect(mails.map(({ subject }) => subject)).to.have.members([
      'The authenticator app "Phone" was added to your account',
      'A recovery code was used, 9 left',
      'The authenticator app "Phone" was removed from your account',
      'The authenticator app "Tablet" was added to your account',
      'Your second factors were removed',
    ]);
    const { activity } = await (await signInAccount(service.url, user)).api.activity.list.query({});
    expect(activity.map(({ operation, detail }) => `${operation}: ${detail}`)).to.include.members([
      'factors.addAuthenticatorApp: The authenticator app "Phone" was added',
      'factors.addAuthenticatorApp: The authenticator app "Tablet" was added',
      'factors.remove: The authenticator app "Phone" was removed',
      'factors.reset: undefined',
      'session.showFactor: A recovery code was used, 9 left',
    ]);
  });
});

describe('user reset-factors', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  const cli = createCli(() => ({ MONGODB_URI: service.databaseUri }));
  const find = async ({ email }: UserRecord, key: string) =>
    (await service.call('GET', `/admin/users?email=${email}`, { key })).body.users[0].has_second_factor;

  it("removes all factors and ends all sessions, even if the factors' key is lost, while both lists show who has one", async () => {
    const { user, account } = await addAppUser(service);
    const { secret: admin } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const listed = async () => (await cli.json(`user list --email ${user.email}`))[0].has_second_factor;
    expect([await find(user, admin), await listed()]).to.deep.equal([true, true]);
    expect(await cli.text(`user reset-factors --email ${user.email}`)).to.equal(
      `Removed 1 second factor of ${user.email}; all sessions have ended.\n`,
    );
    expect([await find(user, admin), await listed()]).to.deep.equal([false, false]);
    expect(await signedInEmailOf(account)).to.equal(null);
    expect(await signedInEmailOf(await signInAccount(service.url, user))).to.equal(user.email);
    expect(await cli.refusal('user reset-factors --email nobody@example.com')).to.include('no user has');
  });

  it('is not needed after a user is deleted: none of the factors stay', async () => {
    const { user } = await addAppUser(service);
    await cli.json(`user delete --email ${user.email}`);
    expect(await service.models.secondFactors.find(user._id)).to.equal(null);
  });
});

describe('single sign-on of a user with a second factor', () => {
  const signOn = useStarted(() => startSingleSignOn());
  const strong = useStarted(() => startSingleSignOn({ isStrong: true }));

  async function arrive(inToken: object, { provider, service, addUser } = signOn) {
    service.models; // the service that staff sign in to
    const user = await addUser();
    const holder = await signInAccount(service.url, user);
    await addAuthenticatorApp(service as TestService, holder);
    provider.at.alter = (claims) => ({ ...claims, ...inToken });
    const account = openAccount(service.url);
    await signInOnce(service, account);
    const token = account.cookies.get('gamehost_session') ?? '';
    const session = await service.models.sessions.verify(token, new Date(service.clock.now()));
    return { account, user, session };
  }

  it('requires nothing here, and counts as strong by amr, but not where a recently shown factor is required', async () => {
    const cases: [inToken: object, isStrong: boolean][] = [
      [{}, false],
      [{ amr: ['pwd'] }, false],
      [{ amr: 'mfa' }, false],
      ...['mfa', 'otp', 'hwk', 'swk'].map((method): [object, boolean] => [{ amr: ['pwd', method] }, true]),
    ];
    for (const [inToken, isStrong] of cases) {
      const { account, user, session } = await arrive(inToken);
      expect(await signedInEmailOf(account)).to.equal(user.email);
      expect(session?.isTwoFactor, JSON.stringify(inToken)).to.equal(isStrong);
      expect(outcomeOf(await account.call('factors.beginAuthenticatorApp', {}))[0]).to.equal(403);
    }
  });

  it('counts from auth_time for twelve hours, and with OIDC_STRONG=true whatever amr says', async () => {
    const secondsAgo = (hours: number) => Math.floor(signOn.service.clock.now() / 1000) - hours * 3600;
    const within = await arrive({ amr: ['mfa'], auth_time: secondsAgo(11) });
    const beyond = await arrive({ amr: ['mfa'], auth_time: secondsAgo(12) });
    const ahead = await arrive({ amr: ['mfa'], auth_time: secondsAgo(-5) });
    expect([within, beyond, ahead].map(({ session }) => session?.isTwoFactor)).to.deep.equal([
      true,
      false,
      true,
    ]);
    expect((await arrive({}, strong)).session?.isTwoFactor).to.equal(true);
  });
});
