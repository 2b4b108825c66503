/** Invitations by mail, sent over the API by the host's own system or from the command line. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { openAccount } from '../../support/account.ts';
import { createCli } from '../../support/cli.ts';
import { expectError } from '../../support/expect-error.ts';
import { useMailService } from '../../support/mail-service.ts';
import { useService } from '../../support/service.ts';

const dayMs = 24 * 60 * 60_000;

const tokenIn = (text = '') => /\/account\/link#([\w-]{43})/.exec(text)?.[1] ?? '';

describe('POST /admin/users/{external_id}/invite', () => {
  const service = useMailService();
  let admin: UserRecord;
  let key: string;
  let count = 0;

  before(async () => {
    admin = await service.addUser({ isAdmin: true });
  });
  beforeEach(async () => {
    key = (await service.addKey({ user: admin, scopes: ['admin:users'] })).secret;
  });

  const addCustomer = (profile = {}) => {
    count += 1;
    return service.addUser({ externalId: `customer-${count}`, ...profile });
  };
  const invite = ({ externalId }: Pick<UserRecord, 'externalId'>, headers = {}) =>
    service.call('POST', `/admin/users/${externalId}/invite`, { key, headers });

  it('mails a 7-day link with which a user without a password sets one (202)', async () => {
    const user = await service.models.users.add({ email: 'new@example.com', externalId: 'new' }, new Date());
    const answer = await invite({ externalId: 'new' });
    expect([answer.status, answer.body]).to.deep.equal([202, { sent: true }]);
    const [mail] = await service.smtp.waitFor(user?.email ?? '', 1);
    expect(mail?.subject).to.equal('Your account is ready');
    service.clock.advance(7 * dayMs - 60_000);
    const account = openAccount(service.url);
    const token = tokenIn(mail?.text);
    const { password } = await account.api.session.signInByLink.mutate({ token });
    expect(password).to.equal('missing');
    await account.api.session.changePassword.mutate({ new_password: 'battery staple 9' });
  });

  it('mails a link that cannot replace an existing password, because whoever holds the key may have changed the address (202)', async () => {
    const user = await addCustomer();
    await invite(user);
    const [mail] = await service.smtp.waitFor(user.email, 1);
    const account = openAccount(service.url);
    const { password } = await account.api.session.signInByLink.mutate({ token: tokenIn(mail?.text) });
    expect(password).to.equal(null);
    const change = await account.call('session.changePassword', { new_password: 'battery staple 9' });
    expect(change.status).to.equal(400);
  });

  it('sends one mail for an Idempotency-Key and another for a second key (202)', async () => {
    const user = await addCustomer();
    for (const name of ['a', 'a', 'b'])
      expect((await invite(user, { 'Idempotency-Key': name })).status).to.equal(202);
    await service.smtp.waitFor(user.email, 2);
    const events = service.connection.collection('webhook_events');
    expect(await events.countDocuments({ type: 'user.invited', userId: user._id })).to.equal(2);
  });

  it('refuses the fourth invitation to an address in 15 minutes (429 rate_limited)', async () => {
    const user = await addCustomer();
    for (const _ of [1, 2, 3]) expect((await invite(user)).status).to.equal(202);
    const refused = await invite(user);
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      429,
      'Too many links by mail; try again in 15 min',
    ]);
    expect(Number(refused.headers.get('Retry-After'))).to.be.within(1, 15 * 60 + 1); // Windows end at whole seconds.
  });

  it('ends an invitation for good when the user is suspended, even if resumed later', async () => {
    const user = await addCustomer();
    await invite(user);
    const [mail] = await service.smtp.waitFor(user.email, 1);
    for (const isActive of [false, true])
      await service.models.userAccess.setActive(user._id, isActive, new Date());
    const token = tokenIn(mail?.text);
    expect((await openAccount(service.url).call('session.signInByLink', { token })).status).to.equal(401);
  });

  it('ends unused links and drops unsent mails when the inviting key ends', async () => {
    const [user, waiting] = [await addCustomer(), await addCustomer()];
    await invite(user);
    const [mail] = await service.smtp.waitFor(user.email, 1);
    await service.stopSendingFor(async () => {
      await invite(waiting);
      await service.call('POST', '/credentials/revoke', { body: { credentials: [key] } });
    });
    const { status } = await openAccount(service.url).call('session.signInByLink', {
      token: tokenIn(mail?.text),
    });
    expect(status).to.equal(401);
    key = (await service.addKey({ user: admin, scopes: ['admin:users'] })).secret;
    const witness = await addCustomer();
    await invite(witness);
    await service.smtp.waitFor(witness.email, 1);
    expect(service.smtp.received.filter(({ to }) => to === waiting.email)).to.deep.equal([]);
  });

  it('sends nothing to a suspended (400), staff (409) or unknown (404) user', async () => {
    const suspended = await addCustomer();
    await service.models.userAccess.setActive(suspended._id, false, new Date());
    expectError(await invite(suspended), 'bad_request', 'The user is suspended');
    const staff = 'Administrators and support staff are invited on the command line only';
    for (const role of [{ isAdmin: true }, { isSupport: true }])
      expectError(await invite(await addCustomer(role)), 'conflict', staff);
    expectError(await invite({ externalId: 'nobody' }), 'not_found', 'User not found');
  });
});

describe('inviting users without configured mail', () => {
  const service = useService();

  it('fails with what to set: 400 bad_request over the API, exit code 1 on the command line', async () => {
    const user = await service.addUser({ isAdmin: true });
    const { secret: key } = await service.addKey({ user, scopes: ['admin:users'] });
    const customer = await service.addUser({ externalId: 'customer-1' });
    const answer = await service.call('POST', '/admin/users/customer-1/invite', { key });
    expectError(answer, 'bad_request', 'Mail is not configured');
    const { refusal } = createCli({ MONGODB_URI: service.databaseUri });
    for (const target of [`--email ${customer.email}`, '--all'])
      expect(await refusal(`user invite ${target}`)).to.match(
        /mail is not configured: set SMTP_URL and MAIL_FROM, and start the service/,
      );
  });
});

describe('the command user invite', () => {
  const service = useMailService();

  const cli = () => createCli({ MONGODB_URI: service.databaseUri });

  it('with --all invites each customer who never signed in, once each, and resumes when run again', async () => {
    const users = [await service.addUser(), await service.addUser()];
    await service.addUser({ isSupport: true });
    const suspended = await service.addUser();
    await service.models.userAccess.setActive(suspended._id, false, new Date());
    const regular = await service.addUser();
    await service.models.users.recordSignIn(regular._id, new Date());
    const run = () => cli().json('user invite --all --per-minute 60000');
    expect(await run()).to.deep.equal({ invited: 2 });
    for (const { email } of users) await service.smtp.waitFor(email, 1);
    expect(await run()).to.deep.equal({ invited: 0 });
    const later = await service.addUser();
    expect(await run()).to.deep.equal({ invited: 1 });
    const [mail] = await service.smtp.waitFor(later.email, 1);
    const account = openAccount(service.url);
    const { password } = await account.api.session.signInByLink.mutate({ token: tokenIn(mail?.text) });
    expect(password).to.equal('replaceable');
  });

  it('with --email invites one user, even a second time, but no staff or suspended user', async () => {
    const { email } = await service.addUser();
    for (const times of [1, 2]) {
      expect(await cli().json(`user invite --email ${email}`)).to.deep.equal({ invited: 1 });
      await service.smtp.waitFor(email, times);
    }
    const staff = await service.addUser({ isAdmin: true });
    expect(await cli().refusal(`user invite --email ${staff.email}`)).to.include('get no links by mail');
    await service.models.userAccess.setActive(
      (await service.models.users.findByEmail(email))?._id ?? 0,
      false,
      new Date(),
    );
    expect(await cli().refusal(`user invite --email ${email}`)).to.include('is suspended');
  });
});
