/** Batched ticket operations: each of many concurrent callers gets the outcome of their own call. */
import { expect } from 'chai';
import type { Connection } from 'mongoose';
import { createModels, type Models } from '../../models/index.ts';
import { connectMongoose } from '../../server/database.ts';
import { failureOf } from '../support/failure-of.ts';
import { testDatabaseUri } from '../support/mongo.ts';

const now = new Date('2026-11-21T12:00:00Z');
const users = Array.from({ length: 40 }, (_, index) => index + 1);
const noService = { serviceName: null, serviceReference: null, serviceType: null };

describe('tickets of concurrent callers', () => {
  let connection: Connection;
  let models: Models;

  beforeEach(async () => {
    connection = await connectMongoose(testDatabaseUri());
    models = createModels(connection);
    await models.ensureIndexes();
  });

  afterEach(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  const open = (userId: number, subject = `of ${userId}`) =>
    models.tickets.open({ ...noService, userId, subject, keyId: 'key', text: 'Hello', now });

  const reply = (userId: number, ticketId: number) =>
    models.tickets.reply({ userId, ticketId, keyId: 'key', text: `from ${userId}`, now });

  it('get unique ids without gaps, each for its owner', async () => {
    const tickets = await Promise.all(users.map((user) => open(user)));
    expect(tickets.map(({ _id }) => _id).sort((a, b) => a - b)).to.deep.equal(users);
    expect(tickets.map(({ subject }) => subject)).to.deep.equal(users.map((user) => `of ${user}`));
  });

  it('are listed per owner, newest first, and as an empty list for a user without any', async () => {
    for (const user of users.slice(0, 20)) await open(user, 'older');
    for (const user of users.slice(0, 20)) await open(user, 'newer');
    const lists = await Promise.all(users.map((user) => models.tickets.list(user)));
    lists.forEach((list, index) => {
      expect(list.map(({ subject }) => subject)).to.deep.equal(index < 20 ? ['newer', 'older'] : []);
    });
  });

  it('are searched per owner and filter, and no list shows what another one asked for', async () => {
    for (const user of users.slice(0, 10)) {
      await open(user, 'new');
      await reply(user, (await open(user, 'active'))._id);
    }
    const filters = users.flatMap((userId) =>
      ([{ status: 'New' }, { status: 'Active' }, { awaiting: 'staff' }, { limit: 1 }] as const).map(
        (filter) => ({ limit: 50, ...filter, userId }),
      ),
    );
    const alone = [];
    for (const filter of filters) alone.push(await models.tickets.search(filter));
    const together = await Promise.all(filters.map((filter) => models.tickets.search(filter)));
    expect(together).to.deep.equal(alone);
    expect(together.slice(0, 4).map((list) => list.map(({ subject }) => subject))).to.deep.equal([
      ['new'],
      ['active'],
      ['active', 'new'],
      ['active'],
    ]);
    expect(together.slice(40).flat()).to.deep.equal([]);
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
    const stored = await connection.collection('tickets').findOne({ subject: 'of 5' });
    expect(stored?.['messages'].map(({ text }: { text: string }) => text)).to.deep.equal([
      'Hello',
      'from 5',
      'from 5',
    ]);
  });

  it('fail only where the ticket itself cannot be stored', async () => {
    // A collection validator stands in for any failure of a single document.
    await connection.db?.command({ collMod: 'tickets', validator: { subject: { $ne: 'of 3' } } });
    const settled = await Promise.allSettled(users.slice(0, 6).map((user) => open(user)));
    await connection.db?.command({ collMod: 'tickets', validator: {} });
    const failed = settled.filter(({ status }) => status === 'rejected');
    expect(failed).to.have.length(1);
    expect(await connection.collection('tickets').countDocuments()).to.equal(5);
  });

  it('are refused for a busy database by its name, alone or together: all may try again', async () => {
    const tickets = await Promise.all(users.slice(0, 3).map((user) => open(user)));
    const uri = new URL(testDatabaseUri());
    uri.pathname = `/${connection.name}`;
    uri.searchParams.set('maxPoolSize', '1');
    uri.searchParams.set('waitQueueTimeoutMS', '200');
    const narrow = await connectMongoose(uri.href);
    const { tickets: narrowTickets } = createModels(narrow);
    const isDone = narrow.collection('tickets').findOne({ $where: 'sleep(2000) || true' });
    const replies = tickets.map(({ _id: ticketId }, index) =>
      failureOf(narrowTickets.reply({ userId: index + 1, ticketId, keyId: 'key', text: 'Hello', now })),
    );
    const names = (await Promise.all(replies)).map(({ name }) => name);
    expect(names).to.deep.equal(Array(3).fill('MongoWaitQueueTimeoutError'));
    await isDone;
    await narrow.close();
  });
});
