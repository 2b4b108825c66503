/** An event is stored with its write or not at all, even if MongoDB refuses events for a while. */
import { expect } from 'chai';
import { signInAccount } from '../../support/account.ts';
import { createCli } from '../../support/cli.ts';
import { failureOf } from '../../support/failure-of.ts';
import { webhookKey } from '../../support/service.ts';
import { waitForFanOut } from '../../support/webhook-calls.ts';
import { useWebhookService } from '../../support/webhook-service.ts';

describe('the event of a write', () => {
  const { service, receiver, calls } = useWebhookService();

  async function subscribed(...events: string[]) {
    const user = await service.addUser();
    const { secret: key } = await service.addKey({ user });
    await calls.createWebhook(key, receiver.url, { events });
    return { user, key };
  }

  const refuseEvents = (isRefused: boolean) =>
    service.connection.db?.command({
      ...{ collMod: 'webhook_events', validator: isRefused ? { $expr: false } : {} },
    });
  afterEach(() => refuseEvents(false));

  it('stays with its ticket until it can be stored, shows the ticket as it was then, and arrives once', async () => {
    const { key } = await subscribed('ticket.created', 'ticket.replied', 'ticket.status_changed');
    await refuseEvents(true);
    const opened = await calls.openTicket(key);
    expect(opened.status).to.equal(201);
    const path = `/tickets/${opened.body.ticket.id}`;
    const body = { message: '$status' };
    const replies = await Promise.all(
      [1, 2, 3].map(() => service.call('POST', `${path}/reply`, { key, body })),
    );
    expect(replies.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
    expect((await service.call('POST', `${path}/close`, { key })).status).to.equal(200);
    expect((await service.call('GET', path, { key })).text).to.not.include('pending');
    await refuseEvents(false);
    await waitForFanOut(service);
    const received = (await receiver.waitFor(6)).map(({ body: { type, data } }) => {
      const { status, message_count } = data.ticket;
      return [type, status, message_count, data.message?.message ?? data.previous_status];
    });
    expect(received).to.have.deep.members([
      ['ticket.created', 'New', 1, undefined],
      ['ticket.replied', 'Active', 2, '$status'],
      ['ticket.status_changed', 'Active', 2, 'New'],
      ['ticket.replied', 'Active', 3, '$status'],
      ['ticket.replied', 'Active', 4, '$status'],
      ['ticket.status_changed', 'Closed', 4, 'Active'],
    ]);
    expect([...receiver.countById().values()]).to.deep.equal(Array(6).fill(1));
  });

  it('arrives even if the event of another ticket cannot be made', async () => {
    const { key } = await subscribed('ticket.created');
    const { id } = (await calls.openTicket(key, 'broken')).body.ticket;
    await receiver.waitFor(1);
    await waitForFanOut(service);
    const tickets = service.connection.collection<{ _id: number; facts: object[] }>('tickets');
    const fact = { id: 'broken', type: 'ticket.created', at: 'no date', isByStaff: false };
    const broke = { $set: { facts: [fact] } };
    await tickets.updateOne({ _id: id }, broke, { bypassDocumentValidation: true });
    await calls.openTicket(key, 'whole');
    const [, request] = await receiver.waitFor(2);
    expect(request?.body.data.ticket.subject).to.equal('whole');
    await tickets.deleteOne({ _id: id });
  });

  it('is not sent to a webhook that was off when it happened but is on when it is stored', async () => {
    const { key } = await subscribed('ticket.created');
    const { secret: admin } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const body = { url: `${receiver.origin}/host`, events: ['ticket.created'] };
    expect((await service.call('POST', '/admin/webhooks', { key: admin, body })).status).to.equal(201);
    const { webhooks } = (await service.call('GET', '/webhooks', { key })).body;
    const turn = (active: boolean) =>
      service.call('PATCH', `/webhooks/${webhooks[0].id}`, { key, body: { active } });
    await turn(false);
    await refuseEvents(true);
    expect((await calls.openTicket(key, 'meanwhile')).status).to.equal(201);
    await turn(true);
    await refuseEvents(false);
    await receiver.waitFor(1);
    await calls.openTicket(key, 'afterward');
    const received = (await receiver.waitFor(3)).map(
      ({ path, body }) => `${path} ${body.data.ticket.subject}`,
    );
    const own = new URL(receiver.url).pathname;
    expect(received).to.have.members(['/host meanwhile', '/host afterward', `${own} afterward`]);
  });

  it('is stored with the end of a key: if that fails, the caller gets 500, the key still works, and a retry makes both', async () => {
    const { key, user } = await subscribed('key.revoked', 'ticket.created');
    const { api } = await signInAccount(service.url, user);
    const doomed = await service.addKey({ user });
    await refuseEvents(true);
    await failureOf(api.keys.revoke.mutate({ id: doomed.key._id }));
    expect((await service.call('GET', '/me', { key: doomed.secret })).status).to.equal(200);
    await refuseEvents(false);
    await api.keys.revoke.mutate({ id: doomed.key._id });
    await api.keys.revoke.mutate({ id: doomed.key._id });
    await receiver.waitFor(1);
    await calls.openTicket(key);
    const types = (await receiver.waitFor(2)).map(({ body }) => body.type);
    expect(types).to.deep.equal(['key.revoked', 'ticket.created']);
  });

  it('is stored with a change by the command line: if that fails, nothing is written, and a retry makes both', async () => {
    const { user } = await subscribed('subscription.changed');
    const cli = createCli({ MONGODB_URI: service.databaseUri, SECRETS_KEY: webhookKey.toString('hex') });
    const add = (id: string) => ['subscription', 'add', '--email', user.email, '--provider-id', id];
    const events = service.connection.collection('webhook_events');
    await cli.json(add('prov_before'));
    // Every command restores the validator, but leaves this index.
    const type = 'subscription.changed';
    const index = await events.createIndex({ type: 1 }, { unique: true, partialFilterExpression: { type } });
    expect((await cli.run(add('prov_cli'))).stderr)
      .to.include('E11000')
      .and.not.include('exists already');
    await events.dropIndex(index);
    await cli.json(add('prov_cli'));
    const stored = await events.find({ userId: user._id }).toArray();
    expect(stored.map((event) => event['type'])).to.deep.equal([type, type]);
  });
});
