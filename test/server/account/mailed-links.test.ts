/** Sign-in links by mail, from the sign-in page: the same for every address, and what a user who followed one can do. */
import { expect } from 'chai';
import type { NewUser } from '../../../models/user.ts';
import { openAccount, signInAccount } from '../../support/account.ts';
import { eventually } from '../../support/eventually.ts';
import { useMailService } from '../../support/mail-service.ts';
import { useService } from '../../support/service.ts';

const minuteMs = 60_000;
const password = 'correct horse';
const newPassword = 'battery staple 9';

describe('a sign-in link by mail', () => {
  const service = useMailService({ config: { trustProxy: true } });
  let count = 0;

  /** Each request comes from its own address, because an address may request few links. */
  function ask(email: string, from?: string) {
    count += 1;
    const headers = { 'X-Forwarded-For': from ?? `203.0.113.${count}` };
    return openAccount(service.url).call('session.mailLink', { email }, headers);
  }
  const tokenIn = (text: string) => /\/account\/link#([\w-]{43})/.exec(text)?.[1] ?? '';

  async function tokenFor(email: string, mails = 1): Promise<string> {
    await ask(email);
    const received = await service.smtp.waitFor(email, mails);
    return tokenIn(received[mails - 1]?.text ?? '');
  }

  async function arrive(profile: Partial<NewUser> = {}) {
    const user = await service.addUser(profile);
    const token = await tokenFor(user.email);
    const account = openAccount(service.url);
    const { password: settable } = await account.api.session.signInByLink.mutate({ token });
    return { user, token, account, settable };
  }

  /** Mails arrive in no order, so a later mail proves that an earlier one was never sent. */
  async function expectNothingFor(email: string): Promise<void> {
    const witness = await service.addUser();
    await tokenFor(witness.email);
    expect(service.smtp.received.filter(({ to }) => to === email)).to.deep.equal([]);
  }

  it('signs in by its button, once, as text and in HTML, with no unsubscribe link', async () => {
    const { user, token, account } = await arrive();
    expect((await account.api.session.current.query()).user?.email).to.equal(user.email);
    const again = await openAccount(service.url).call('session.signInByLink', { token });
    expect([again.status, again.body.error.message]).to.deep.equal([
      401,
      'This sign-in link was already used; ask for a new one',
    ]);
    const [mail] = service.smtp.received.filter(({ to }) => to === user.email);
    expect(mail?.subject).to.equal('Your link to sign in');
    expect(mail?.html).to.include(`href="${service.url}/account/link#${token}"`);
    expect(mail?.text).to.include('works once, for 15 minutes');
    expect([...(mail?.headers.keys() ?? [])]).to.not.include('list-unsubscribe');
  });

  it("ends after 15 minutes, and when its user's address changes", async () => {
    const user = await service.addUser();
    const [first, second] = [await tokenFor(user.email), await tokenFor(user.email, 2)];
    await service.connection
      .collection('users')
      .updateOne({ email: user.email }, { $set: { email: `new-${user.email}` } });
    const ofFormer = await openAccount(service.url).call('session.readLink', { token: first });
    expect(ofFormer.body.error.message).to.equal('This sign-in link is not valid; ask for a new one');
    await service.connection
      .collection('users')
      .updateOne({ email: `new-${user.email}` }, { $set: { email: user.email } });
    service.clock.advance(15 * minuteMs);
    const late = await openAccount(service.url).call('session.signInByLink', { token: second });
    expect(late.body.error.message).to.equal('This sign-in link has expired; ask for a new one');
  });

  it('is confirmed alike for customers, staff, suspended users and unknown addresses, and only customers receive it', async () => {
    const customer = await service.addUser();
    const others = [
      (await service.addUser({ isAdmin: true })).email,
      (await service.addUser({ isSupport: true })).email,
      'unknown@example.com',
    ];
    const suspended = await service.addUser();
    await service.models.userAccess.setActive(suspended._id, false, new Date());
    const answers = [];
    for (const email of [customer.email, ...others, suspended.email]) {
      const { status, body } = await ask(email);
      answers.push([status, body]);
    }
    for (const answer of answers) expect(answer).to.deep.equal([200, { result: { data: {} } }]);
    await service.smtp.waitFor(customer.email, 1);
    for (const email of [...others, suspended.email]) await expectNothingFor(email);
  });

  it('stores the same for every address before the response, and no token', async () => {
    const { email } = await service.addUser();
    const events = service.connection.collection('webhook_events');
    for (const asked of [email, 'nowhere@example.com']) {
      await ask(asked);
      const stored = await events.find({ 'data.email': asked }).toArray();
      expect(stored.map(({ type, userId, data }) => ({ type, userId, data }))).to.deep.equal([
        { type: 'link.requested', userId: 0, data: { email: asked } },
      ]);
    }
    const [mail] = await service.smtp.waitFor(email, 1);
    const token = tokenIn(mail?.text ?? '');
    for (const { collectionName } of (await service.connection.db?.collections()) ?? [])
      for await (const document of service.connection.collection(collectionName).find())
        expect(JSON.stringify(document), collectionName).to.not.include(token);
  });

  it('keeps no token of a mail whose link the server quotes in its refusal', async () => {
    const { email } = await service.addUser();
    service.smtp.refuseData(554);
    await ask(email);
    const replies = await eventually(async () => {
      const deliveries = service.connection.collection('webhook_deliveries');
      const [failed] = await deliveries.find({ status: 'failed', type: 'link.requested' }).toArray();
      expect(failed?.['attempts']).to.have.lengthOf(1);
      return failed?.['attempts'];
    });
    expect(replies[0].smtpReply)
      .to.include('/account/link#…')
      .and.not.match(/#[\w-]/);
  });

  it('leaves no trace of a request for an address without an account', async () => {
    await ask('nowhere@example.net');
    await eventually(async () => {
      const events = service.connection.collection('webhook_events');
      expect(await events.countDocuments({ 'data.email': 'nowhere@example.net' })).to.equal(0);
    });
  });

  it('429 rate_limited: is limited to eighty requests per IPv6 site, a /48', async () => {
    const answers = [];
    for (let times = 0; times < 81; times += 1)
      answers.push((await ask(`site${times}@example.com`, `2001:db8:7:${times}::1`)).status);
    expect(answers).to.deep.equal([...Array.from({ length: 80 }, () => 200), 429]);
  });

  it('429 rate_limited: is limited to three requests in 15 minutes per address, known or not, and twenty per network', async () => {
    const { email } = await service.addUser();
    for (const asked of [email, 'nobody@example.com']) {
      const answers = [];
      for (let times = 0; times < 4; times += 1) answers.push(await ask(asked));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 429]);
      expect(answers[3]?.body.error.message).to.equal('Too many links by mail; try again in 15 min');
    }
    const ofNetwork = [];
    for (let times = 0; times < 21; times += 1)
      ofNetwork.push((await ask(`network${times}@example.com`, `2001:db8::${times + 1}`)).status);
    expect(ofNetwork).to.deep.equal([...Array.from({ length: 20 }, () => 200), 429]);
    service.clock.advance(15 * minuteMs + 1000); // Windows end at whole seconds.
    expect((await ask(email)).status).to.equal(200);
  });

  it('lets a user without a password set one or skip it', async () => {
    const user = await service.models.users.add({ email: 'ann@example.com' }, new Date());
    const account = openAccount(service.url);
    const token = await tokenFor(user?.email ?? '');
    const { password: settable } = await account.api.session.signInByLink.mutate({ token });
    expect(settable).to.equal('missing');
    await account.api.session.changePassword.mutate({ new_password: newPassword });
    await signInAccount(service.url, { email: user?.email ?? '', password: newPassword });
  });

  it('lets a user who forgot the password set a new one, once, which the sign-in then requires', async () => {
    const { user, account, settable } = await arrive();
    expect(settable).to.equal('replaceable');
    expect((await account.api.session.current.query()).asks_password).to.equal(false);
    const other = await tokenFor(user.email, 2);
    await account.api.session.changePassword.mutate({ new_password: newPassword });
    const tryOld = await openAccount(service.url).call('session.signIn', { email: user.email, password });
    expect(tryOld.status).to.equal(401);
    expect((await account.api.session.current.query()).asks_password).to.equal(true);
    const again = await account.call('session.changePassword', { new_password: 'staple battery 8' });
    expect([again.status, again.body.error.message]).to.deep.equal([
      400,
      'current_password is not your password',
    ]);
    // The links mailed before have ended.
    const late = await openAccount(service.url).call('session.signInByLink', { token: other });
    expect(late.body.error.message).to.equal('This sign-in link is not valid; ask for a new one');
  });

  it('opens no account that has since joined the staff or been suspended', async () => {
    const [promoted, suspended] = [await service.addUser(), await service.addUser()];
    const tokens = [await tokenFor(promoted.email), await tokenFor(suspended.email)];
    await service.connection
      .collection('users')
      .updateOne({ email: promoted.email }, { $set: { isSupport: true } });
    await service.models.userAccess.setActive(suspended._id, false, new Date());
    for (const token of tokens)
      expect((await openAccount(service.url).call('session.signInByLink', { token })).status).to.equal(401);
  });

  it('is sent by the next process if one dies with mail due, unless the link has expired while waiting', async () => {
    const [late, soon] = [await service.addUser(), await service.addUser()];
    await service.stopSendingFor(async () => {
      await ask(late.email);
      service.clock.advance(16 * minuteMs);
      await ask(soon.email);
    });
    await service.smtp.waitFor(soon.email, 1);
    await expectNothingFor(late.email);
  });
});

describe('sign-in links by mail that their user has turned off', () => {
  const service = useMailService();
  const ask = (email: string) => openAccount(service.url).call('session.mailLink', { email });

  it('are sent for no request and no invitation until they are turned on again', async () => {
    const user = await service.addUser({ externalId: 'without-links' });
    const { api } = await signInAccount(service.url, user);
    const kinds = (await api.notices.get.query()).kinds.map(({ kind }) => kind);
    await api.notices.change.mutate({ kinds: kinds.filter((kind) => kind !== 'sign_in_link') });
    expect((await ask(user.email)).status).to.equal(200);
    const admin = await service.addUser({ isAdmin: true });
    const { secret: key } = await service.addKey({ user: admin, scopes: ['admin:users'] });
    const invited = await service.call('POST', '/admin/users/without-links/invite', { key });
    expect([invited.status, invited.body.error.message]).to.deep.equal([
      400,
      'The user has turned links by mail off',
    ]);
    // The service forgets a request that causes no mail.
    await eventually(async () => {
      const requests = service.connection.collection('webhook_events');
      expect(await requests.countDocuments({ 'data.email': user.email })).to.equal(0);
    });
    await api.notices.change.mutate({ kinds });
    expect((await ask(user.email)).status).to.equal(200);
    await service.smtp.waitFor(user.email, 1);
    expect(service.smtp.received.filter(({ to }) => to === user.email)).to.have.lengthOf(1);
  });
});

describe('a mailbox where PASSWORD_SIGN_IN is false', () => {
  const service = useMailService({ config: { hasPasswordSignIn: false } });

  it('400 bad_request: opens no account that only the identity provider may open', async () => {
    const { email } = await service.addUser();
    const answer = await openAccount(service.url).call('session.mailLink', { email });
    const message = 'Signing in by a link or with a password is turned off';
    expect([answer.status, answer.body.error.message]).to.deep.equal([400, message]);
  });
});

describe('the sign-in page where mail is not configured', () => {
  const service = useService();

  it('400 bad_request: mails no link, and offers none', async () => {
    const account = openAccount(service.url);
    expect((await account.api.session.current.query()).settings.mail).to.equal(false);
    const answer = await account.call('session.mailLink', { email: 'ada@example.com' });
    expect([answer.status, answer.body.error.message]).to.deep.equal([400, 'Mail is not configured']);
  });
});
