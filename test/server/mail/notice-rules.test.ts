/** Which notices are sent: those that the user wants and may receive, and not too many at once. */
import { expect } from 'chai';
import { noticesPerHourMax, securityNoticesPerHourMax } from '../../../models/bounds.ts';
import type { UserRecord } from '../../../models/user.ts';
import { signInAccount } from '../../support/account.ts';
import { eventually } from '../../support/eventually.ts';
import { supportEmail, useMailService } from '../../support/mail-service.ts';
import { waitForFanOut } from '../../support/webhook-calls.ts';

describe('notices', () => {
  const service = useMailService();
  let staff: string;
  before(async () => {
    staff = (await service.addKey({ user: await service.addUser({ isAdmin: true }) })).secret;
  });

  const subjectsOf = (recipient: string) =>
    service.smtp.received.filter(({ to }) => to === recipient).map(({ subject }) => subject);

  async function openTicket(given?: UserRecord) {
    const { user, secret: key } = await service.addKey(given && { user: given });
    const body = { title: 'Lag', message: 'Players time out.' };
    const { body: opened } = await service.call('POST', '/tickets', { key, body });
    return { user, key, id: opened.ticket.id as number };
  }

  const answer = (id: number, message = 'Done.') =>
    service.call('POST', `/admin/tickets/${id}/reply`, { key: staff, body: { message } });

  /** Only the notices collected for later wait. */
  async function settled() {
    await waitForFanOut(service);
    const waiting = { endpointId: /^mail_/, dueAt: { $exists: true } };
    const deliveries = service.connection.collection('webhook_deliveries');
    await eventually(async () => expect(await deliveries.countDocuments(waiting)).to.equal(0));
  }

  it('stay off when turned off on the account page, except those about security', async () => {
    const { user, id } = await openTicket();
    const { api } = await signInAccount(service.url, user);
    const kinds = (await api.notices.get.query()).kinds.map(({ kind }) => kind);
    const changed = await api.notices.change.mutate({
      kinds: kinds.filter((kind) => kind !== 'ticket_answered'),
    });
    expect(changed.kinds.filter(({ is_wanted }) => !is_wanted).map(({ kind }) => kind)).to.deep.equal([
      'ticket_answered',
    ]);
    await answer(id);
    const body = { status: 'Closed' };
    await service.call('POST', `/admin/tickets/${id}/status`, { key: staff, body });
    await service.smtp.waitFor(user.email, 1);
    await api.notices.change.mutate({ kinds: [] });
    const change = { current_password: 'correct horse', new_password: 'a river of ten green stones' };
    await api.session.changePassword.mutate(change);
    await service.smtp.waitFor(user.email, 2);
    expect(subjectsOf(user.email)).to.have.members([
      `Support closed your ticket #${id}: Lag`,
      'Your password was changed',
    ]);
  });

  describe('can be turned off from the mail', () => {
    const urlOf = async (): Promise<{ url: string; user: UserRecord; id: number }> => {
      const { user, id } = await openTicket();
      await answer(id);
      const [mail] = await service.smtp.waitFor(user.email, 1);
      const [, url = ''] = /^<(.*)>$/.exec(mail?.headers.get('list-unsubscribe') ?? '') ?? [];
      expect(mail?.text).to.include(url);
      return { url, user, id };
    };
    const oneClick = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) };

    it('with one POST without a session, as mail programs send it, even more than once', async () => {
      const { url, user, id } = await urlOf();
      for (const _ of [1, 2]) {
        const response = await fetch(url, oneClick);
        expect(response.status).to.equal(200);
        expect(await response.text()).to.include('These mails are off');
      }
      await answer(id, 'Again.');
      await settled();
      expect(subjectsOf(user.email)).to.have.lengthOf(1);
      const { kinds } = await (await signInAccount(service.url, user)).api.notices.get.query();
      expect(kinds.filter(({ is_wanted }) => !is_wanted).map(({ kind }) => kind)).to.deep.equal([
        'ticket_answered',
      ]);
    });

    it('with the button of a page that changes nothing by itself', async () => {
      const { url, user, id } = await urlOf();
      const page = await fetch(url);
      expect(page.status).to.equal(200);
      expect(await page.text())
        .to.include('<form method="post">')
        .and.include('Turn them off');
      await answer(id, 'Again.');
      await service.smtp.waitFor(user.email, 2);
    });

    it('with no other method: 405 method_not_allowed, and OPTIONS names the allowed ones', async () => {
      const { url } = await urlOf();
      expect((await fetch(url, { method: 'DELETE' })).status).to.equal(405);
      const { status, headers } = await fetch(url, { method: 'OPTIONS' });
      expect([status, headers.get('allow')]).to.deep.equal([204, 'GET, HEAD, POST, OPTIONS']);
    });

    it('only with a valid token for this user and kind: otherwise 404 and a page that says what to do', async () => {
      const { url } = await urlOf();
      const token = new URL(url).searchParams.get('token') ?? '';
      const [userId, kind, signature] = token.split('.');
      for (const other of [
        ...['', 'x', `${token}x`, token.slice(0, -1), `${Number(userId) + 1}.${kind}.${signature}`],
        ...[
          `${userId}.key_expiring.${signature}`,
          `${userId}.password.${signature}`,
          `${token}&token=${token}`,
        ],
      ])
        for (const init of [{}, oneClick]) {
          const response = await fetch(`${service.url}/account/mail/off?token=${other}`, init);
          expect(response.status, other).to.equal(404);
          expect(await response.text()).to.include('copy the whole address from the mail');
        }
    });
  });

  it(`beyond ${noticesPerHourMax} an hour arrive together in one mail an hour later, while those about security arrive at once`, async () => {
    const { user, id } = await openTicket();
    const more = 5;
    for (let count = 0; count < noticesPerHourMax + more; count += 1) await answer(id, `Answer ${count}`);
    await settled();
    expect(subjectsOf(user.email)).to.have.lengthOf(noticesPerHourMax);
    const { api } = await signInAccount(service.url, user);
    const change = { current_password: 'correct horse', new_password: 'a river of ten green stones' };
    await api.session.changePassword.mutate(change);
    await service.smtp.waitFor(user.email, noticesPerHourMax + 1);
    await settled();
    expect(subjectsOf(user.email)).to.include('Your password was changed');
    service.clock.advance(60 * 60_000);
    const mails = await service.smtp.waitFor(user.email, noticesPerHourMax + 2);
    const last = mails.at(-1);
    expect(last?.subject).to.equal(`${more} more notices`);
    expect(last?.text.match(/Support answered your ticket/g)).to.have.lengthOf(more);
    await settled();
    expect(subjectsOf(user.email)).to.have.lengthOf(noticesPerHourMax + 2);
  });

  it(`about security arrive at once up to five times an hour per kind, and then together an hour later`, async () => {
    const user = await service.addUser();
    const change = (password: string) =>
      service.models.userAccess.change(user.email, { password }, new Date(service.clock.now()));
    for (let count = 0; count < securityNoticesPerHourMax + 2; count += 1)
      await change(`battery staple ${count}`);
    await settled();
    const changed = 'Your password was changed';
    const single = Array.from({ length: securityNoticesPerHourMax }, () => changed);
    expect(subjectsOf(user.email)).to.deep.equal(single);
    const { api } = await signInAccount(service.url, { ...user, password: 'battery staple 6' });
    await api.keys.create.mutate({
      ...{ name: 'laptop', scopes: ['read:account'] },
      ...{ servers: null, addresses: null, expires_at: null },
    });
    await service.smtp.waitFor(user.email, securityNoticesPerHourMax + 1);
    service.clock.advance(60 * 60_000);
    const mails = await service.smtp.waitFor(user.email, securityNoticesPerHourMax + 2);
    expect(mails.at(-1)?.subject).to.equal('2 more notices');
    expect(mails.at(-1)?.text.match(/Your password was changed/g)).to.have.lengthOf(2);
  });

  it('that were collected are not sent if they are turned off by then', async () => {
    const { user, id } = await openTicket();
    for (let count = 0; count < noticesPerHourMax + 1; count += 1) await answer(id, `Answer ${count}`);
    await settled();
    await service.models.users.changeNotices(user._id, { off: ['ticket_answered'] });
    service.clock.advance(60 * 60_000);
    await eventually(async () => {
      const collected = { userId: user._id, type: 'notices.collected', fanOutAt: { $exists: false } };
      expect(await service.connection.collection('webhook_events').countDocuments(collected)).to.equal(1);
    });
    await settled();
    expect(subjectsOf(user.email)).to.have.lengthOf(noticesPerHourMax);
  });

  it('about one customer reach support in one collected mail', async () => {
    const { user, key, id } = await openTicket();
    for (let count = 0; count < noticesPerHourMax + 1; count += 1)
      await service.call('POST', `/tickets/${id}/reply`, { key, body: { message: `Reply ${count}` } });
    await settled();
    service.clock.advance(60 * 60_000);
    await eventually(async () =>
      expect(subjectsOf(supportEmail)).to.include(`2 more notices about ${user.email}`),
    );
  });

  it('never reach a suspended user, and notices of a ticket reach only its customer', async () => {
    const { user, id } = await openTicket();
    await service.stopSendingFor(async () => {
      await answer(id);
      await service.models.userAccess.setActive(user._id, false, new Date());
    });
    const other = await openTicket();
    await service.stopSendingFor(async () => {
      await answer(other.id);
      const stranger = await service.addUser();
      const tickets = service.connection.collection<{ _id: number }>('tickets');
      await tickets.updateOne({ _id: other.id }, { $set: { userId: stranger._id } });
    });
    await settled();
    expect([...subjectsOf(user.email), ...subjectsOf(other.user.email)]).to.deep.equal([]);
  });
});
