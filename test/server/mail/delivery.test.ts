/** Mail to servers that refuse it, break or are away: what is retried, what is given up, and what the operator sees. */
import { expect } from 'chai';
import { smtpConnectionsMax, waitingDeliveriesMax } from '../../../models/bounds.ts';
import { createModels } from '../../../models/index.ts';
import { newDelivery } from '../../../models/outbox/deliveries.ts';
import type { DeliveryRecord, EventRecord } from '../../../models/outbox/schema.ts';
import { sweepBacklogs } from '../../../server/events/sweeps.ts';
import { openAccount, signInAccount } from '../../support/account.ts';
import { createCli } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { startMailing, supportEmail, useMailService } from '../../support/mail-service.ts';
import { useService } from '../../support/service.ts';
import { startSmtp } from '../../support/smtp-receiver.ts';
import { createWebhookCalls } from '../../support/webhook-calls.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

const secretsKey = Buffer.alloc(32, 'webhooks').toString('base64');

/** Counted from the first attempt. */
const retryMs = 6000;

describe('a pending mail', () => {
  const service = useMailService();
  const cli = createCli(() => ({ MONGODB_URI: service.databaseUri, SECRETS_KEY: secretsKey }));
  const listFailed = (): Promise<{ to: string; last_error: string; attempts: number }[]> =>
    cli.json('mail list --failed');

  async function changePassword() {
    const user = await service.addUser();
    return { user, send: () => service.models.userAccess.change(user.email, newPassword, new Date()) };
  }
  const newPassword = { password: 'a river of ten green stones' };

  it('is given up when the server permanently refuses its recipient, and `mail list --failed` lists it', async () => {
    const { user, send } = await changePassword();
    service.smtp.refuse(user.email, 550, 550);
    await send();
    await eventually(async () => {
      const failed = (await listFailed()).filter(({ to }) => to === user.email);
      expect(failed).to.have.lengthOf(1);
      expect(failed[0]).to.include({ attempts: 1, type: 'password.changed' });
      expect(failed[0]?.last_error).to.include('550').and.include('refused by the test');
    });
    service.clock.advance(retryMs);
    const other = await changePassword();
    await other.send();
    await service.smtp.waitFor(other.user.email, 1);
    expect(service.smtp.received.filter(({ to }) => to === user.email)).to.deep.equal([]);
  });

  it('is retried when the server temporarily refuses it, and others do not wait for it', async () => {
    const { user, send } = await changePassword();
    service.smtp.refuse(user.email, 450);
    await send();
    const other = await changePassword();
    await other.send();
    await service.smtp.waitFor(other.user.email, 1);
    service.clock.advance(retryMs);
    await service.smtp.waitFor(user.email, 1);
    expect((await listFailed()).map(({ to }) => to)).not.to.include(user.email);
  });

  it('is resent with the same Message-ID when the server took it and the connection broke before the reply', async () => {
    const { user, send } = await changePassword();
    service.smtp.dieAfterData(true);
    await send();
    await service.smtp.waitFor(user.email, 1);
    service.smtp.dieAfterData(false);
    // After the pause for this server, the mail is retried.
    const mails = await eventually(async () => {
      service.clock.advance(retryMs);
      return service.smtp.waitFor(user.email, 2, 1000);
    });
    expect(new Set(mails.map(({ headers }) => headers.get('message-id'))).size).to.equal(1);
  });

  it('waits while the server is away or hangs, and webhooks continue', async () => {
    const hanging = await startSmtp();
    hanging.hang();
    const { secret: key } = await service.addKey();
    const users = await Promise.all(Array.from({ length: 10 }, changePassword));
    await service.stopSendingFor(async () => {
      const stop = startMailing(service, hanging.url);
      for (const { send } of users) await send();
      const receiver = await startReceiver();
      await createWebhookCalls(service).createWebhook(key, receiver.url, { events: ['ticket.created'] });
      await createWebhookCalls(service).openTicket(key, 'meanwhile');
      expect((await receiver.waitFor(1))[0]?.body.data.ticket.subject).to.equal('meanwhile');
      await receiver.stop();
      await stop();
    });
    await hanging.stop();
    service.clock.advance(60_000);
    for (const { user } of users)
      await eventually(async () => {
        service.clock.advance(retryMs);
        await service.smtp.waitFor(user.email, 1, 1000);
      });
    await service.smtp.waitFor(supportEmail, 1);
    expect((await listFailed()).map(({ to }) => to)).not.to.include.members(
      users.map(({ user }) => user.email),
    );
  });

  it('is not dropped during a flood of requested links', async () => {
    const { user, send } = await changePassword();
    await service.stopSendingFor(async () => {
      const { models, clock } = service;
      const now = new Date(clock.now());
      const [mail] = await models.destinations.findMany(['mail_links']);
      if (!mail) throw new Error('mail is off');
      const flood = Array.from({ length: waitingDeliveriesMax.host }, (_, index) =>
        newDelivery({ _id: `evt_${index}`, type: 'link.requested' }, mail, now),
      );
      await service.connection.collection<DeliveryRecord>('webhook_deliveries').insertMany(flood);
      await send();
      const event = await service.connection
        .collection<EventRecord>('webhook_events')
        .findOne({ type: 'password.changed', userId: user._id });
      if (!event) throw new Error('the event is not stored');
      await models.deliveries.addAll([newDelivery(event, mail, now)]);
      clock.advance(2 * 60_000);
      await sweepBacklogs({ models, clock: clock.now });
    });
    await service.smtp.waitFor(user.email, 1);
  });

  it('is not a webhook: no command turns it off or lists it', async () => {
    expect(await cli.refusal('webhook disable mail_customers')).to.include('no active webhook');
    const listed: { id: string }[] = await cli.json('webhook list');
    expect(listed.map(({ id }) => id).filter((id) => !id.startsWith('whk_'))).to.deep.equal([]);
    expect(await service.models.webhooks.has('mail_customers')).to.equal(false);
    const { user, send } = await changePassword();
    await send();
    await service.smtp.waitFor(user.email, 1);
  });

  it('waits while no process has SUPPORT_EMAIL, and arrives once one has it again', async () => {
    const { secret: key } = await service.addKey();
    const { models, smtp } = service;
    smtp.refuse(supportEmail, 450);
    const { body } = await createWebhookCalls(service).openTicket(key, 'for support');
    const deliveries = service.connection.collection('webhook_deliveries');
    const tried = { endpointId: 'mail_support', 'attempts.status': 450, status: 'pending' };
    await eventually(async () => expect(await deliveries.countDocuments(tried)).to.equal(1));
    await models.notices.applySettings(['customer'], new Date());
    service.clock.advance(retryMs);
    const { user, send } = await changePassword();
    await send();
    await smtp.waitFor(user.email, 1);
    expect(await deliveries.countDocuments(tried)).to.equal(1);
    await models.notices.applySettings(['customer', 'host'], new Date());
    await eventually(async () =>
      expect(smtp.received.map(({ subject }) => subject)).to.include(
        `Ticket #${body.ticket.id}: for support`,
      ),
    );
  });

  it('is dropped with the others by `mail off`', async () => {
    const { send } = await changePassword();
    await service.stopSendingFor(async () => {
      await send();
      expect(await cli.text('mail off')).to.equal('Mail is off.\n');
    });
    const { connection } = service;
    expect(await service.models.notices.isOn()).to.equal(false);
    const waiting = { endpointId: /^mail_/ };
    expect(await connection.collection('webhook_deliveries').countDocuments(waiting)).to.equal(0);
  });
});

describe('turning mail on and off in another process', () => {
  const service = useService({ config: { hasWebhooks: false } });
  const other = createCli(() => ({ MONGODB_URI: service.databaseUri }));

  it('makes this process store events only while mail is on', async () => {
    const account = await signInAccount(service.url, await service.addUser());
    let password = 'correct horse';
    const countEvents = async (new_password: string) => {
      await account.api.session.current.query();
      await account.api.session.changePassword.mutate({ current_password: password, new_password });
      password = new_password;
      return service.connection.collection('webhook_events').countDocuments();
    };
    expect(await countEvents('battery staple 1')).to.equal(0);
    await createModels(service.connection).notices.applySettings(['customer'], new Date());
    expect(await countEvents('battery staple 2')).to.equal(1);
    await other.text('mail off');
    expect(await countEvents('battery staple 3')).to.equal(1);
  });
});

describe('a pending mail while the server stalls for another recipient', () => {
  const service = useMailService();

  it('gets a connection however many mails the other recipient has', async () => {
    const { user, secret: key } = await service.addKey();
    const other = await service.addUser();
    service.smtp.refuse(user.email, ...Array.from({ length: 20 }, () => 'silence' as const));
    const { id } = (await createWebhookCalls(service).openTicket(key)).body.ticket;
    const { secret: staff } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const answer = () =>
      service.call('POST', `/admin/tickets/${id}/reply`, { key: staff, body: { message: 'Done.' } });
    const countLate = () =>
      service.connection.collection('webhook_deliveries').countDocuments({ 'attempts.error': 'timeout' });
    await answer();
    await eventually(async () => expect(await countLate()).to.equal(1));
    for (let count = 0; count < smtpConnectionsMax * 2; count += 1) await answer();
    await eventually(async () =>
      expect(service.smtp.connections.silent).to.be.at.least(smtpConnectionsMax - 1),
    );
    await service.models.userAccess.change(other.email, { password: 'battery staple 9' }, new Date());
    await service.smtp.waitFor(other.email, 1);
    expect(await countLate()).to.equal(1);
  }).timeout(60_000);
});

describe('a sign-in link', () => {
  const service = useMailService({ attemptMs: 120_000 });
  const silentCount = 3 * smtpConnectionsMax - 1;

  const askLink = (email: string) => openAccount(service.url).call('session.mailLink', { email });
  async function addSilent(): Promise<string[]> {
    const users = await Promise.all(Array.from({ length: silentCount }, () => service.addUser()));
    const always = Array.from({ length: 20 }, () => 'silence' as const);
    for (const { email } of users) service.smtp.refuse(email, ...always);
    return users.map(({ email }) => email);
  }
  const untilSilent = (count: number) =>
    eventually(async () => expect(service.smtp.connections.silent).to.be.at.least(count));

  for (const [what, cause] of [
    [
      'notices',
      (email) => service.models.userAccess.change(email, { password: 'battery staple 9' }, new Date()),
    ],
    ['links', askLink],
  ] satisfies [string, (email: string) => Promise<unknown>][])
    it(`arrives while the server stalls for the recipients of many other ${what}`, async () => {
      const other = await service.addUser();
      const before = service.smtp.connections.silent;
      for (const email of await addSilent()) await cause(email);
      await untilSilent(before + smtpConnectionsMax - 1);
      await askLink(other.email);
      const [mail] = await service.smtp.waitFor(other.email, 1);
      expect(mail?.subject).to.equal('Your link to sign in');
    });
});
