/** Passkeys: adding one, signing in with it alone or as the second step, and the responses that are refused. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type Account, openAccount, signInAccount } from '../../support/account.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import {
  addAppUser,
  addPasskeyUser,
  codeOf,
  givePassword,
  namedUrl,
  outcomeOf,
  signedInEmailOf,
} from '../../support/second-factor.ts';
import { type Answer, startTestService, useService } from '../../support/service.ts';

type Authenticator = ReturnType<typeof createAuthenticator>;
type Deviations = Parameters<Authenticator['get']>[1];

const refused = [401, 'This passkey does not work here; try again, or sign in another way'];
const notAdded = [400, 'The passkey could not be added; try again'];

describe('a passkey', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });

  async function answerOf(account: Account, authenticator: Authenticator, deviations?: Deviations) {
    const { options } = await account.api.session.askForPasskey.mutate();
    return { passkey: authenticator.get(options, deviations) };
  }

  const openNamed = () => openAccount(namedUrl(service));
  const show = async (account: Account, authenticator: Authenticator, deviations?: Deviations) =>
    outcomeOf(await account.call('session.showFactor', await answerOf(account, authenticator, deviations)));

  it('signs in alone with user verification, and reveals nothing about users to a visitor', async () => {
    const { user, authenticator } = await addPasskeyUser(service);
    const account = openNamed();
    const { options } = await account.api.session.askForPasskey.mutate();
    expect(options).to.include({ rpId: 'localhost', userVerification: 'required' });
    expect(options.allowCredentials ?? []).to.deep.equal([]);
    expect(await show(account, authenticator)).to.deep.equal([200, undefined]);
    expect(await signedInEmailOf(account)).to.equal(user.email);
    const [{ id = '', kind, last_used_at } = {}] = (await account.api.factors.list.query()).factors;
    expect([kind, last_used_at === null]).to.deep.equal(['passkey', false]);
    await account.api.factors.rename.mutate({ id, name: 'Shown just now' });
  });

  it('signs in even if the authenticator does not report whose it is', async () => {
    const { authenticator } = await addPasskeyUser(service);
    for (const userHandle of [null, undefined, '']) {
      const { passkey } = await answerOf(openNamed(), authenticator);
      const answer = { ...passkey, response: { ...passkey.response, userHandle } };
      expect((await openNamed().call('session.showFactor', { passkey: answer })).status).to.equal(200);
    }
  });

  it('has a handle of 64 random bytes per user, and older handles still sign in', async () => {
    const handleOf = async ({ api }: Account) => (await api.factors.beginPasskey.mutate()).options.user.id;
    const { account, user, authenticator } = await addPasskeyUser(service);
    const handle = await handleOf(account);
    expect(authenticator.passkeys.map(({ userHandle }) => userHandle)).to.deep.equal([handle]);
    expect(Buffer.from(handle, 'base64url')).to.have.length(64);
    const other = await signInAccount(namedUrl(service), await service.addUser());
    expect(await handleOf(other)).not.to.equal(handle);
    const before = Buffer.from(String(user._id)).toString('base64url');
    expect(await show(openNamed(), authenticator, { userHandle: before })).to.deep.equal([200, undefined]);
  });

  it('must be discoverable on its authenticator, and is added only once per authenticator', async () => {
    const { account, authenticator } = await addPasskeyUser(service);
    const { options } = await account.api.factors.beginPasskey.mutate();
    expect(options.authenticatorSelection).to.include({
      residentKey: 'required',
      userVerification: 'required',
    });
    expect(options.excludeCredentials).to.deep.equal(
      authenticator.passkeys.map(({ id }) => ({ id, type: 'public-key', transports: ['internal'] })),
    );
    expect(options.pubKeyCredParams.map(({ alg }) => alg)).to.deep.equal([-8, -7, -257]);
  });

  it('can be the second step after the password', async () => {
    const { user, authenticator } = await addPasskeyUser(service);
    const account = await givePassword({ ...service, url: namedUrl(service) }, user);
    expect((await account.api.session.current.query()).pending?.kinds).to.deep.equal(['passkey']);
    await show(account, authenticator);
    expect(await signedInEmailOf(account)).to.equal(user.email);
  });

  it("401: does not complete another user's sign-in, nor count as shown in another user's session", async () => {
    const { authenticator } = await addPasskeyUser(service);
    const other = await addAppUser(service);
    const account = await givePassword({ ...service, url: namedUrl(service) }, other.user);
    expect(await show(account, authenticator)).to.deep.equal(refused);
    expect(await signedInEmailOf(account)).to.equal(null);
    const session = await signInAccount(namedUrl(service), await service.addUser());
    expect(await show(session, authenticator)).to.deep.equal([400, refused[1]]);
  });

  it('401: answers each challenge only once, even at the same time, and only within ten minutes', async () => {
    const { authenticator } = await addPasskeyUser(service);
    const account = openNamed();
    const answer = await answerOf(account, authenticator);
    const late = await answerOf(account, authenticator);
    const browsers = [openNamed(), openNamed(), openNamed()];
    const answers = await Promise.all(browsers.map(({ call }) => call('session.showFactor', answer)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 401, 401]);
    expect(outcomeOf(await openNamed().call('session.showFactor', answer))).to.deep.equal(refused);
    service.clock.advance(10 * 60_000);
    expect(outcomeOf(await openNamed().call('session.showFactor', late))).to.deep.equal(refused);
  });

  it('401: answers no challenge a second time in another spelling', async () => {
    const { authenticator } = await addPasskeyUser(service);
    const { options } = await openNamed().api.session.askForPasskey.mutate();
    const { challenge } = options;
    const statuses = [];
    for (const spelling of [challenge, `${challenge}=`, `!${challenge}`]) {
      const passkey = authenticator.get({ ...options, challenge: spelling });
      statuses.push((await openNamed().call('session.showFactor', { passkey })).status);
    }
    expect(statuses).to.deep.equal([200, 401, 401]);
  });

  it('answers in any order when two tabs have requested challenges', async () => {
    const { authenticator } = await addPasskeyUser(service);
    const [one, other] = [openNamed(), openNamed()];
    const [first, last] = [await answerOf(one, authenticator), await answerOf(other, authenticator)];
    expect((await other.call('session.showFactor', last)).status).to.equal(200);
    expect((await one.call('session.showFactor', first)).status).to.equal(200);
  });

  it('401: signs in only for its origin and host, with user verification, and with its own key and user', async () => {
    const { authenticator } = await addPasskeyUser(service);
    const cases: Record<string, NonNullable<Deviations>> = {
      'another origin': { origin: 'https://localhost.evil.example' },
      'another host': { rpId: 'evil.example' },
      'no user verification': { isUserVerified: false },
      'another user': { userHandle: Buffer.from('1').toString('base64url') },
    };
    for (const [what, deviations] of Object.entries(cases))
      expect(await show(openNamed(), authenticator, deviations), what).to.deep.equal(refused);
    const stranger = createAuthenticator(namedUrl(service));
    const [passkey] = (await addPasskeyUser(service)).authenticator.passkeys;
    const { authenticator: known } = await addPasskeyUser(service);
    if (passkey) stranger.passkeys.push({ ...passkey, id: known.passkeys[0]?.id ?? '' });
    expect(await show(openNamed(), stranger)).to.deep.equal(refused);
    const answer = await answerOf(openNamed(), authenticator);
    const made = openAccount(namedUrl(service));
    answer.passkey.response.clientDataJSON = Buffer.from(
      JSON.stringify({ type: 'webauthn.get', challenge: 'AAAA', origin: namedUrl(service) }),
    ).toString('base64url');
    expect(outcomeOf(await made.call('session.showFactor', answer))).to.deep.equal(refused);
  });

  it("401: is refused when an authenticator's counter decreases, as a copy's does, and its user sees that", async () => {
    const { authenticator, user } = await addPasskeyUser(service);
    expect(await show(openNamed(), authenticator, { counter: 7 })).to.deep.equal([200, undefined]);
    for (const counter of [7, 6])
      expect(await show(openNamed(), authenticator, { counter })).to.deep.equal(refused);
    const [entry] = await service.models.auditEntries.list({ userId: user._id, limit: 1 });
    expect(entry).to.include({ operation: 'session.showFactor', status: 401 });
    expect(await show(openNamed(), authenticator, { counter: 8 })).to.deep.equal([200, undefined]);
  });

  it('400: is not added for another origin or user, without user verification, or with certificates to follow', async () => {
    const url = namedUrl(service);
    const account = await signInAccount(url, await service.addUser());
    const other = await signInAccount(url, await service.addUser());
    const authenticator = createAuthenticator(url);
    const create = async (by: Account, deviations?: Parameters<Authenticator['create']>[1]) => {
      const { options } = await by.api.factors.beginPasskey.mutate();
      return authenticator.create(options, deviations);
    };
    const add = async (passkey: object) =>
      outcomeOf(await account.call('factors.addPasskey', { name: 'Laptop', passkey }));
    expect(await add(await create(account, { origin: 'https://evil.example' }))).to.deep.equal(notAdded);
    expect(await add(await create(account, { rpId: 'evil.example' }))).to.deep.equal(notAdded);
    expect(await add(await create(account, { isUserVerified: false }))).to.deep.equal(notAdded);
    expect(await add(await create(account, { format: 'apple' }))).to.deep.equal(notAdded);
    expect(await add(await create(other))).to.deep.equal(notAdded);
    const passkey = await create(account);
    expect(await add(passkey)).to.deep.equal([200, undefined]);
    expect((await other.call('factors.addPasskey', { name: 'Theirs', passkey })).status).to.equal(400);
    expect((await account.api.factors.list.query()).factors).to.have.length(1);
  });

  it('400: belongs to one account, even if two add it at the same time', async () => {
    const url = namedUrl(service);
    const id = randomBytes(16);
    const additions: (() => Promise<Answer>)[] = [];
    for (const user of [await service.addUser(), await service.addUser()]) {
      const { api, call } = await signInAccount(url, user);
      const { options } = await api.factors.beginPasskey.mutate();
      const passkey = createAuthenticator(url).create(options, { id });
      additions.push(() => call('factors.addPasskey', { name: 'Laptop', passkey }));
    }
    const answers = await Promise.all(additions.map((add) => add()));
    expect(answers.map(outcomeOf)).to.have.deep.members([
      [200, undefined],
      [400, 'The passkey belongs to another account'],
    ]);
  });

  it('400: needs a host name, from PUBLIC_URL over https or localhost', async () => {
    const account = await signInAccount(service.url, await service.addUser());
    expect((await account.api.session.current.query()).settings.passkeys).to.equal(false);
    for (const procedure of ['factors.beginPasskey', 'session.askForPasskey'])
      expect((await account.call(procedure, {})).status, procedure).to.equal(400);
    for (const [publicUrl, rpId] of [
      ['https://games.example', 'games.example'],
      ['http://games.example', null],
      ['https://203.0.113.7', null],
      ['https://[2001:db8::1]', null],
    ] as const) {
      const other = await startTestService({ config: { publicUrl } });
      const answer = await openAccount(other.url).call('session.askForPasskey', {});
      expect(answer.body.result?.data.options.rpId ?? null, publicUrl).to.equal(rpId);
      await other.stop();
    }
  });

  it('does not sign in where password sign-in is off and the identity provider decides, but serves as a second factor in a session', async () => {
    const { user, authenticator } = await addPasskeyUser(service);
    const without = await startTestService({
      databaseUri: service.databaseUri,
      config: { hasPasswordSignIn: false },
    });
    const account = openAccount(namedUrl(without));
    const { passkey } = await answerOf(openNamed(), authenticator);
    expect(outcomeOf(await account.call('session.showFactor', { passkey }))).to.deep.equal([
      400,
      'Signing in with a password is turned off',
    ]);
    const { token } = await without.models.signInLinks.create(user._id, new Date());
    await account.api.session.signInByLink.mutate({ token });
    expect(await show(account, authenticator, { origin: namedUrl(without) })).to.deep.equal([200, undefined]);
    await without.leave();
  });

  it('401: is refused for a suspended user', async () => {
    const { user, authenticator } = await addPasskeyUser(service);
    await service.models.userAccess.setActive(user._id, false, new Date());
    expect(await show(openNamed(), authenticator)).to.deep.equal([
      401,
      'This account is suspended; ask support',
    ]);
  });

  it('signs in as one factor among authenticator apps, and does not wait when codes are locked', async () => {
    const { user, authenticator, account } = await addPasskeyUser(service);
    const { token, secret } = await account.api.factors.beginAuthenticatorApp.mutate();
    await account.api.factors.addAuthenticatorApp.mutate({
      name: 'Phone',
      token,
      code: codeOf(service, secret),
    });
    service.clock.advance(60_000);
    const browser = await givePassword(service, user);
    expect((await browser.api.session.current.query()).pending?.kinds).to.deep.equal(['app', 'passkey']);
    await browser.api.session.showFactor.mutate({ code: codeOf(service, secret) });
    const thief = await givePassword(service, user);
    const statuses = [];
    for (let times = 0; times < 6; times += 1)
      statuses.push((await thief.call('session.showFactor', { code: 'wrong' })).status);
    expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429]);
    expect(await show(openNamed(), authenticator)).to.deep.equal([200, undefined]);
  });
});
