/** Batched ticket operations: each of many concurrent callers gets the outcome of their own call. */
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

  it('are searched per owner and filter, and no list shows what another one asked for', async () => {
    const [having, without] = [users.slice(0, 10), users.slice(10, 20)];
    for (const user of having) {
      await open(user, `new of ${user}`);
      await reply(user, (await open(user, `active of ${user}`))._id);
    }
    const filters = [{ status: 'New' }, { status: 'Active' }, { awaiting: 'staff' }, { limit: 1 }] as const;
    const searches = [...having, ...without].flatMap((userId) => [
      ...filters.map((filter) => () => models.tickets.search({ limit: 50, ...filter, userId })),
      () => models.tickets.list(userId),
    ]);
    const found = await Promise.all(searches.map((search) => search()));
    const expected = having.flatMap((user) => {
      const [oldest, newest] = [`new of ${user}`, `active of ${user}`];
      return [[oldest], [newest], [newest, oldest], [newest], [newest, oldest]];
    });
    const none = without.flatMap(() => Array(5).fill([]));
    const subjects = found.map((list) => list.map(({ subject }) => subject));
    expect(subjects).to.deep.equal([...expected, ...none]);
  });

  it('are read by their owners alone, short and long ones, and by the staff', async () => {
    const tickets = await Promise.all(users.slice(0, 10).map((user) => open(user)));
    const long = { userId: 3, ticketId: tickets[2]?._id ?? 0, keyId: '', text: 'x'.repeat(40_000), now };
    await models.tickets.reply(long);
    const ids = [...tickets.map(({ _id }) => _id), 999_999];
    const pages = [
      { after: 0, limit: 50 },
      { after: 1, limit: 50 },
      { after: 0, limit: 1 },
    ];
    const reads = ids.flatMap((id) =>
      pages.flatMap((page) => [
        ...[1, 3, 5].map((userId) => () => models.tickets.readOwned(userId, id, page)),
        () => models.tickets.read(id, page),
      ]),
    );
    const alone = [];
    for (const read of reads) alone.push(await read());
    const together = await Promise.all(reads.map((read) => read()));
    expect(together).to.deep.equal(alone);
    const shown = together.map((found) => found && [found.ticket.userId, found.messages.length]);
    expect(shown.slice(0, 4), 'of the first ticket: its owner, two others, the staff').to.deep.equal([
      ...[[1, 1], null, null],
      [1, 1],
    ]);
    expect(shown.slice(24, 36), 'of the long ticket').to.deep.equal([
      ...[null, [3, 2], null, [3, 2]],
      ...[null, [3, 1], null, [3, 1]],
      ...[null, [3, 1], null, [3, 1]],
    ]);
    expect(shown.slice(-12)).to.deep.equal(Array(12).fill(null));
  });

  it('accept valid replies and refuse invalid ones of the same batch', async () => {
    const tickets = await Promise.all(users.map((user) => open(user)));
    await models.tickets.setStatus(tickets[1]?._id ?? 0, 'Closed', { now });
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
    // A collection validator stands in for any failure of a single document.
    await test.connection.db?.command({ collMod: 'tickets', validator: { subject: { $ne: 'of 3' } } });
    const settled = await Promise.allSettled(users.slice(0, 6).map((user) => open(user)));
    await test.connection.db?.command({ collMod: 'tickets', validator: {} });
    const failed = settled.filter(({ status }) => status === 'rejected');
    expect(failed).to.have.length(1);
    expect(await test.connection.collection('tickets').countDocuments()).to.equal(5);
  });

  it('are refused for a busy database by its name, alone or together: all may try again', async () => {
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
