/** Replies to one ticket at once, whose webhook makes each a transaction: none conflicts with another and writes the ticket again. */
import { expect } from 'chai';
import { createModels } from '../../models/index.ts';
import { changeStatus, storeReply } from '../../routers/ticket-writes.ts';
import { connectMongoose } from '../../server/database.ts';
import { openTestModels } from '../support/models.ts';

const now = new Date('2026-11-21T12:00:00Z');
const clock = () => now.getTime();
const service = { serviceName: null, serviceReference: null, serviceType: null };
const owner = { userId: 1, audience: 'customer' as const };
const webhook = { url: 'https://example.com', format: 'standard' as const, description: null };
const atOnce = 30;

describe('replies at once to a ticket whose owner has a webhook', () => {
  it('are written one after another, each once, with their events, and then it is closed', async () => {
    const opened = await openTestModels();
    const connection = await connectMongoose(opened.databaseUri, { monitorCommands: true });
    const models = createModels(connection);
    await models.webhookSecrets.unlock([Buffer.alloc(32, 'webhooks')]);
    await models.users.add({ email: 'ada@example.com', password: 'correct horse' }, now);
    await models.webhooks.add({ ...owner, ...webhook, events: ['*'] }, now);
    const { _id } = await models.tickets.open({
      ...{ ...service, userId: 1, keyId: '', subject: 'Lag', text: 'Lag', now },
    });
    const conflicts: string[] = [];
    connection.getClient().on('commandFailed', ({ commandName }) => conflicts.push(commandName));
    const replies = Array.from({ length: atOnce }, (_, number) => {
      const reply = { ticketId: _id, userId: 1, keyId: '', text: `reply ${number}`, now };
      return storeReply({ models, clock }, reply);
    });
    await replies[0]; // by then the others wait
    const closing = changeStatus({ models, clock }, { ticketId: _id, isByStaff: false }, (transaction) =>
      models.tickets.close(1, _id, { now, transaction }),
    );
    await Promise.all([...replies, closing]);
    expect(conflicts).to.deep.equal([]);
    const events = connection.collection('webhook_events');
    expect(await events.countDocuments()).to.equal(atOnce + 2); // the first reply makes it Active
    await connection.close();
    await opened.stop();
  });
});
