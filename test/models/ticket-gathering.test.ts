/** Promises of tickets under many callers at once: everyone has their own outcome, on real MongoDB. */
import { expect } from 'chai';
import type { Connection } from 'mongoose';
import { createModels, type Models } from '../../models/index.ts';
import { connectMongoose } from '../../server/database.ts';
import { testDatabaseUri } from '../support/mongo.ts';

const now = new Date('2026-11-21T12:00:00Z');
const people = Array.from({ length: 40 }, (_, index) => index + 1);
const noService = { serviceName: null, serviceReference: null, serviceType: null };

describe('tickets of many callers at once', () => {
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

  it('gives each new ticket an id of its own, without gaps, to its own owner', async () => {
    const tickets = await Promise.all(people.map((person) => open(person)));
    expect(tickets.map(({ _id }) => _id).sort((a, b) => a - b)).to.deep.equal(people);
    expect(tickets.map(({ subject }) => subject)).to.deep.equal(people.map((person) => `of ${person}`));
  });

  it('shows everyone their own list, newest first, and an empty one to who has none', async () => {
    for (const person of people.slice(0, 20)) await open(person, 'older');
    for (const person of people.slice(0, 20)) await open(person, 'newer');
    const lists = await Promise.all(people.map((person) => models.tickets.list(person)));
    lists.forEach((list, index) => {
      expect(list.map(({ subject }) => subject)).to.deep.equal(index < 20 ? ['newer', 'older'] : []);
    });
  });

  it('answers good and bad replies of one moment each by its own rule', async () => {
    const tickets = await Promise.all(people.map((person) => open(person)));
    await models.tickets.setStatus(tickets[1]?._id ?? 0, 'Closed', now);
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

  it('fails only the ticket that cannot be stored', async () => {
    // A rule of the database's own stands for whatever may go wrong with one document.
    await connection.db?.command({ collMod: 'tickets', validator: { subject: { $ne: 'of 3' } } });
    const settled = await Promise.allSettled(people.slice(0, 6).map((person) => open(person)));
    await connection.db?.command({ collMod: 'tickets', validator: {} });
    const failed = settled.filter(({ status }) => status === 'rejected');
    expect(failed).to.have.length(1);
    expect(await connection.collection('tickets').countDocuments()).to.equal(5);
  });
});
