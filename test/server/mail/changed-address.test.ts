/** An e-mail address that a key of the host's system has changed: who is notified, and what links to it do not allow. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { openAccount } from '../../support/account.ts';
import { useMailService } from '../../support/mail-service.ts';

const hourMs = 60 * 60_000;
const newPassword = 'battery staple 9';

describe('a changed address', () => {
  const service = useMailService({ config: { trustProxy: true } });
  let key: string;
  let count = 0;

  beforeEach(async () => {
    const user = await service.addUser({ isAdmin: true });
    key = (await service.addKey({ user, scopes: ['admin:users'] })).secret;
  });

  const addCustomer = () => {
    count += 1;
    return service.addUser({ externalId: `customer-${count}` });
  };
  const put = async ({ externalId }: UserRecord, body: object) => {
    const answer = await service.call('PUT', `/admin/users/${externalId}`, { key, body });
    expect(answer.status).to.equal(200);
  };

  /** Requests a link on the sign-in page and returns it; `mails` is how many mails the address has received by then. */
  async function requestLink(email: string, mails = 1) {
    count += 1;
    const from = { 'X-Forwarded-For': `203.0.113.${count}` };
    await openAccount(service.url).call('session.mailLink', { email }, from);
    const isLink = ({ to, subject }: { to: string; subject: string }) =>
      to === email && subject === 'Your link to sign in';
    const links = () => service.smtp.received.filter(isLink);
    for (let received = 1; links().length < mails; received += 1) await service.smtp.waitFor(email, received);
    const [, token = ''] = /\/account\/link#([\w-]{43})/.exec(links()[mails - 1]?.text ?? '') ?? [];
    return { account: openAccount(service.url), token };
  }

  async function arrive(email: string, mails = 1) {
    const { account, token } = await requestLink(email, mails);
    const { password: settable } = await account.api.session.signInByLink.mutate({ token });
    return { account, settable };
  }
  const asksPassword = async ({ api }: ReturnType<typeof openAccount>) =>
    (await api.session.current.query()).asks_password;

  it('is announced to the former address, even when the user is suspended with the change and resumed later', async () => {
    const user = await addCustomer();
    await service.stopSendingFor(() => put(user, { email: `eve-${count}@example.com`, active: false }));
    const [mail] = await service.smtp.waitFor(user.email, 1);
    expect(mail?.subject).to.equal('The e-mail address of your account was changed');
  });

  it('receives links that cannot replace a password for 72 hours', async () => {
    const user = await addCustomer();
    const email = `dana-${count}@example.com`;
    await put(user, { email });
    const early = await arrive(email);
    expect([early.settable, await asksPassword(early.account)]).to.deep.equal([null, true]);
    const change = await early.account.call('session.changePassword', { new_password: newPassword });
    expect(change.status).to.equal(400);
    service.clock.advance(72 * hourMs);
    expect((await arrive(email, 2)).settable).to.equal('replaceable');
  });

  it('loses what its links opened when the key leaks, and receives no more links then', async () => {
    const user = await addCustomer();
    const email = `eve-${count}@example.com`;
    await put(user, { email });
    const { account } = await arrive(email);
    await service.call('POST', '/credentials/revoke', { body: { credentials: [key] } });
    expect((await account.api.session.current.query()).user).to.equal(null);
    await openAccount(service.url).call('session.mailLink', { email }, { 'X-Forwarded-For': '198.51.100.1' });
    await arrive((await addCustomer()).email);
    const links = service.smtp.received.filter(
      ({ to, text }) => to === email && text.includes('/account/link#'),
    );
    expect(links).to.have.lengthOf(1);
  });

  it('ends all links mailed to the former address for good, even if that address comes back', async () => {
    const user = await addCustomer();
    const { account } = await arrive(user.email);
    const { account: used, token } = await requestLink(user.email, 2);
    await put(user, { email: `dana-${count}@example.com` });
    await put(user, { email: user.email });
    expect((await used.call('session.signInByLink', { token })).status).to.equal(401);
    expect(await asksPassword(account)).to.equal(true);
  });

  it('receives links that end with the key that created its user, for 72 hours', async () => {
    count += 1;
    const user = { externalId: `made-${count}` };
    const email = `made-${count}@example.com`;
    const remake = async () => {
      await service.call('DELETE', `/admin/users/${user.externalId}`, { key });
      const made = await service.call('PUT', `/admin/users/${user.externalId}`, { key, body: { email } });
      expect(made.status).to.equal(201);
    };
    await remake();
    const { account } = await arrive(email);
    await remake();
    service.clock.advance(72 * hourMs);
    const { account: later } = await arrive(email, 2);
    await service.call('POST', '/credentials/revoke', { body: { credentials: [key] } });
    expect((await later.api.session.current.query()).user?.email).to.equal(email);
    expect((await account.api.session.current.query()).user).to.equal(null);
  });

  it("receives links that cannot replace a password for 72 hours if the key assigned its user's panel user", async () => {
    const user = await addCustomer();
    await put(user, { panel_user_id: 7_000 + count });
    expect((await arrive(user.email)).settable).to.equal(null);
    service.clock.advance(72 * hourMs);
    expect((await arrive(user.email, 2)).settable).to.equal('replaceable');
  });

  it('is notified when it loses its panel user and when it loses its user', async () => {
    const user = await addCustomer();
    await put(user, { panel_user_id: 8_000 + count });
    await put(user, { panel_user_id: null });
    await service.smtp.waitFor(user.email, 1);
    const email = `eve-${count}@example.com`;
    await put(user, { panel_user_id: 8_000 + count });
    await put(user, { panel_user_id: null, email });
    await service.smtp.waitFor(user.email, 3);
    await service.call('DELETE', `/admin/users/${user.externalId}`, { key });
    await service.smtp.waitFor(email, 2);
    const subjectsOf = (address: string) =>
      service.smtp.received.filter(({ to }) => to === address).map(({ subject }) => subject);
    expect(subjectsOf(user.email)).to.have.members([
      'Your account no longer has its servers',
      'Your account no longer has its servers',
      'The e-mail address of your account was changed',
    ]);
    expect(subjectsOf(email)).to.have.members([
      'This is now the e-mail address of your account',
      'Your account was deleted',
    ]);
  });

  it('ends the right to set a password in sessions from links to the former one, which end after an hour anyway', async () => {
    const user = await addCustomer();
    const { account } = await arrive(user.email);
    expect(await asksPassword(account)).to.equal(false);
    await put(user, { email: `dana-${count}@example.com` });
    expect(await asksPassword(account)).to.equal(true);
    const other = await arrive((await addCustomer()).email);
    service.clock.advance(hourMs);
    expect(await asksPassword(other.account)).to.equal(true);
    const change = await other.account.call('session.changePassword', { new_password: newPassword });
    expect(change.body.error.message).to.equal('current_password is not your password');
  });
});
