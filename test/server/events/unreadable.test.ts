/** Events with unreadable data, such as those of another version, delay none of the others, and the log names them. */
import { expect } from 'chai';
import { newDelivery } from '../../../models/outbox/deliveries.ts';
import type { DeliveryRecord, EventRecord } from '../../../models/outbox/schema.ts';
import type { TicketRecord } from '../../../models/ticket/schema.ts';
import { eventually } from '../../support/eventually.ts';
import { useMailService } from '../../support/mail-service.ts';
import { createWebhookCalls } from '../../support/webhook-calls.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

describe('an event whose data cannot be read', () => {
  const service = useMailService();
  const events = () => service.connection.collection<EventRecord>('webhook_events');
  const untilLogged = (id: unknown) =>
    eventually(async () => {
      const line = service.sending.lines.find((each) => each.includes(`${id}`));
      if (!line) throw new Error('nothing is logged');
      return JSON.parse(line);
    });
  const changePassword = ({ email }: { email: string }) =>
    service.models.userAccess.change(email, { password: 'battery staple 9' }, new Date());

  beforeEach(() => {
    service.sending.lines.splice(0);
    service.sending.outcomes.splice(0);
  });

  const unreadable = (userId: number): EventRecord => {
    const at = new Date();
    const _id = `evt_${'0'.repeat(24)}${userId}`;
    return { _id, type: 'key.created', userId, at, user: null, data: {}, storedAt: at };
  };

  it('is skipped when deliveries are made, and the others of its batch are sent', async () => {
    const { user, secret: key } = await service.addKey();
    const receiver = await startReceiver();
    await createWebhookCalls(service).createWebhook(key, receiver.url, { events: ['key.created'] });
    const event = unreadable(user._id);
    await service.stopSendingFor(async () => {
      await events().insertOne({ ...event, fanOutAt: new Date(0) });
      await changePassword(user);
    });
    await service.smtp.waitFor(user.email, 1);
    const { level, msg, type } = await untilLogged(event._id);
    expect([level, msg, type]).to.deep.equal([
      50,
      'webhooks: an event cannot be read and is not sent',
      'key.created',
    ]);
    expect((await receiver.waitFor(1))[0]?.body.type).to.equal('key.created');
    await eventually(async () =>
      expect(await events().countDocuments({ fanOutAt: { $exists: true } })).to.equal(0),
    );
    expect(service.sending.lines.filter((line) => line.includes('database'))).to.deep.equal([]);
    await receiver.stop();
  });

  it('is skipped on its ticket, and the events of other tickets are sent', async () => {
    const { user, secret: key } = await service.addKey();
    const calls = createWebhookCalls(service);
    const tickets = service.connection.collection<TicketRecord>('tickets');
    let broken = 0;
    await service.stopSendingFor(async () => {
      broken = (await calls.openTicket(key, 'broken')).body.ticket.id;
      const broke = { $set: { 'facts.0.at': 'yesterday' as never } };
      await tickets.updateOne({ _id: broken }, broke, { bypassDocumentValidation: true });
      await calls.openTicket(key, 'sound');
    });
    await eventually(async () =>
      expect(service.smtp.received.map(({ subject }) => subject)).to.include(`Ticket #${broken + 1}: sound`),
    );
    expect(await untilLogged('ticket.created')).to.include({ level: 50, destination: 'mail_support' });
    await eventually(async () =>
      expect(await tickets.countDocuments({ facts: { $exists: true } })).to.equal(0),
    );
    expect(service.sending.lines.filter((line) => line.includes('database'))).to.deep.equal([]);
    await changePassword(user);
    await service.smtp.waitFor(user.email, 1);
  });

  it('is logged and counted when an attempt to send it fails on our side', async () => {
    const user = await service.addUser();
    const event = unreadable(user._id);
    const [mail] = await service.models.destinations.findMany(['mail_customers']);
    if (!mail) throw new Error('mail is on');
    const delivery = newDelivery(event, mail, new Date(service.clock.now()));
    await events().insertOne(event);
    await service.connection.collection<DeliveryRecord>('webhook_deliveries').insertOne(delivery);
    const { level, msg, type } = await untilLogged(delivery._id);
    expect([level, msg, type]).to.deep.equal([
      50,
      'webhooks: an attempt failed on our side; it will be retried',
      'key.created',
    ]);
    expect(service.sending.outcomes).to.include('internal');
    await changePassword(user);
    await service.smtp.waitFor(user.email, 1);
  });
});
