/** Batched ticket operations: each concurrent caller gets the outcome of their own call. */
import { expect } from 'chai';
import { createModels } from '../../models/index.ts';
import { connectMongoose } from '../../server/database.ts';
import { failureOf } from '../support/failure-of.ts';
import { openTestModels, type TestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

const now = new Date('2026-11-21T12:00:00Z');
const users = Array.from({ length: 40 }, (_, index) => index + 1);
const noService = { serviceName: null, serviceReference: null, serviceType: null };

describe('tickets of concurrent callers', () => {
  const test = useStarted(() => openTestModels());
  let models: TestModels['models'];

  before(() => {
    models = test.models;
  });
  beforeEach(() => test.connection.collection('tickets').deleteMany());

  const open = (userId: number, subject = `of ${userId}`) =>
    models.tickets.open({ ...noService, userId, subject, keyId: 'key', text: 'Hello', now });

  const reply = (userId: number, ticketId: number) =>
    models.tickets.reply({ userId, ticketId, keyId: 'key', text: `from ${userId}`, now });

  it('accept valid replies and refuse invalid ones in the same batch', async () => {
    const tickets = await Promise.all(users.map((user) => open(user)));
    await models.tickets.setStatus({ id: tickets[1]?._id ?? 0, status: 'Closed' }, now);
    const outcomes = await Promise.all([
      reply(1, tickets[0]?._id ?? 0),
      reply(2, tickets[1]?._id ?? 0),
      reply(3, tickets[3]?._id ?? 0),
      reply(4, 999_999),
      reply(5, tickets[4]?._id ?? 0),
      reply(5, tickets[4]?._id ?? 0),
    ]);
    expect(outcomes).to.deep.equal(['replied', 'closed', 'not_found', 'not_found', 'replied', 'replied']);
    const stored = await test.connection.collection('tickets').findOne({ subject: 'of 5' });
    expect(stored?.['messages'].map(({ text }: { text: string }) => text)).to.deep.equal([
      'Hello',
      'from 5',
      'from 5',
    ]);
  });

  it('fail only where the ticket itself cannot be stored', async () => {
    // A collection validator simulates any failure of a single document.
    await test.connection.db?.command({ collMod: 'tickets', validator: { subject: { $ne: 'of 3' } } });
    const settled = await Promise.allSettled(users.slice(0, 6).map((user) => open(user)));
    await test.connection.db?.command({ collMod: 'tickets', validator: {} });
    const failed = settled.filter(({ status }) => status === 'rejected');
    expect(failed).to.have.length(1);
    expect(await test.connection.collection('tickets').countDocuments()).to.equal(5);
  });

  it('are refused by name while the database is busy, alone or batched, so that all callers may retry', async () => {
    const tickets = await Promise.all(users.slice(0, 3).map((user) => open(user)));
    const uri = new URL(test.databaseUri);
    uri.searchParams.set('maxPoolSize', '1');
    uri.searchParams.set('waitQueueTimeoutMS', '2000');
    const narrow = await connectMongoose(uri.href);
    const { tickets: narrowTickets } = createModels(narrow);
    const takesLong = narrow.collection('tickets').findOne({ $where: 'sleep(60000)' }, { comment: 'busy' });
    const replies = tickets.map(({ _id: ticketId }, index) =>
      failureOf(narrowTickets.reply({ userId: index + 1, ticketId, keyId: 'key', text: 'Hello', now })),
    );
    const names = (await Promise.all(replies)).map(({ name }) => name);
    expect(names).to.deep.equal(Array(3).fill('MongoWaitQueueTimeoutError'));
    const admin = test.connection.getClient().db('admin');
    const { inprog } = await admin.command({ currentOp: true, 'command.comment': 'busy' });
    for (const { opid } of inprog) await admin.command({ killOp: 1, op: opid });
    expect((await failureOf(takesLong)).name).to.equal('MongoServerError');
    await narrow.close();
  });
});
