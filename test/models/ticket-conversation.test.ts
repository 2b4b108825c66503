/** Conversations in the store: numbered pages, replies by both sides, size limits and filtered lists. */

import { expect } from 'chai';
import { mongo } from 'mongoose';
import { migrations } from '../../models/migrations/index.ts';
import { ticketLimits } from '../../models/ticket/write.ts';
import { openTestModels } from '../support/models.ts';
import { profile } from '../support/profiler.ts';
import { useStarted } from '../support/use-started.ts';

const now = new Date('2026-11-21T12:00:00Z');
const service = { serviceName: null, serviceReference: null, serviceType: null };
const [owner, staff] = [1, 9];

describe('conversations', () => {
  const test = useStarted(() => openTestModels());

  const open = async (userId = owner) => {
    const ticket = { ...service, userId, keyId: 'key', subject: 'Lag', text: 'Hello', now };
    return (await test.models.tickets.open(ticket))._id;
  };
  const write = (ticketId: number, text: string) =>
    test.models.tickets.reply({ ticketId, userId: owner, keyId: 'key', text, now });
  const answer = (ticketId: number, text: string, close = false) =>
    test.models.tickets.reply({ ticketId, userId: owner, staffId: staff, keyId: '', text, close, now });
  const read = async (id: number, after = 0, limit = 50) => {
    const conversation = await test.models.tickets.read(id, { after, limit });
    if (!conversation) throw new Error(`there is no ticket ${id}`);
    return conversation;
  };
  const collection = () =>
    test.connection.collection<{ _id: number; messages: object[]; messageBytes: number }>('tickets');

  it('number messages from 1 and tell both sides apart', async () => {
    const id = await open();
    await answer(id, 'Which server?');
    await write(id, 'Survival');
    const { ticket, messages } = await read(id);
    expect(messages.map(({ number, author, text }) => `${number} ${author} ${text}`)).to.deep.equal([
      '1 customer Hello',
      '2 staff Which server?',
      '3 customer Survival',
    ]);
    expect(ticket).to.include({ lastReplyBy: 'customer', messageCount: 3, status: 'Active', userId: owner });
    expect(messages[1]).to.not.have.property('id');
  });

  it('are read page by page after a number', async () => {
    const id = await open();
    for (const text of ['2', '3', '4', '5']) await write(id, text);
    const numbers = async (after: number, limit: number) =>
      (await read(id, after, limit)).messages.map(({ number }) => number);
    expect(await numbers(0, 2)).to.deep.equal([1, 2]);
    expect(await numbers(2, 2)).to.deep.equal([3, 4]);
    expect(await numbers(4, 2)).to.deep.equal([5]);
    expect(await numbers(5, 2)).to.deep.equal([]);
    expect(await numbers(Number.MAX_SAFE_INTEGER, 2)).to.deep.equal([]);
  });

  it('are read from MongoDB no further than a page goes', async () => {
    const id = await open();
    const message = { id: 'm', userId: owner, keyId: '', text: '\u{1F44D}'.repeat(10_000), createdAt: now };
    const messages = Array.from({ length: 100 }, () => message);
    await collection().updateOne({ _id: id }, { $set: { messages, messageBytes: 4_000_000 } });
    const calls = await profile(test.connection, async () => {
      await Promise.all([read(id, 0, 100), read(await open(), 0, 100), read(id, 50, 100)]);
    });
    const bytes = calls.map(({ responseLength = 0 }) => responseLength);
    expect(Math.max(...bytes)).to.be.within(480_000, 512 * 1024);
  });

  it('are readable by their owner only, unless asked for without an owner', async () => {
    const id = await open();
    expect(await test.models.tickets.readOwned(2, id, { after: 0, limit: 1 })).to.equal(null);
    expect(await test.models.tickets.readOwned(owner, id, { after: 0, limit: 1 })).to.not.equal(null);
    expect(await test.models.tickets.read(999_999, { after: 0, limit: 1 })).to.equal(null);
  });

  it('accept no customer message after a closing answer', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await open();
      const outcomes = await Promise.all([write(id, 'a'), answer(id, 'Done', true), write(id, 'b')]);
      const { ticket, messages } = await read(id);
      expect(outcomes[1]).to.equal('replied');
      expect(ticket.status).to.equal('Closed');
      expect(messages.at(-1)).to.include({ author: 'staff', text: 'Done' });
      expect(messages).to.have.lengthOf(1 + outcomes.filter((outcome) => outcome === 'replied').length);
    }
  });

  it('accept an answer by staff in a ticket that is full for its owner, by size or by count', async () => {
    const { textBytes, messages: countMax } = ticketLimits.customer;
    const [bySize, byCount] = [await open(), await open()];
    await collection().updateOne({ _id: bySize }, { $set: { messageBytes: textBytes } });
    const message = { id: 'x', userId: owner, keyId: 'key', text: '.', createdAt: now };
    const many = Array.from({ length: countMax }, () => message);
    await collection().updateOne({ _id: byCount }, { $set: { messages: many } });
    for (const id of [bySize, byCount]) {
      expect(await write(id, 'More')).to.equal('full');
      expect(await answer(id, 'Please open a new one')).to.equal('replied');
      expect(await write(id, 'More')).to.equal('full');
    }
  });

  it('stay below the document limit of MongoDB when they are full for staff', () => {
    const { textBytes, messages: countMax } = ticketLimits.staff;
    const id = '0'.repeat(36);
    const text = 'x'.repeat(Math.ceil(textBytes / countMax));
    const message = { id, author: 'staff', userId: 2 ** 53, keyId: id, text, createdAt: now };
    const ticket = { subject: 'ä'.repeat(200), messages: Array.from({ length: countMax }, () => message) };
    expect(mongo.BSON.calculateObjectSize(ticket)).to.be.below(16 * 1024 * 1024 - 65_536);
  });

  it('are listed by status, by the awaited side, and before an id', async () => {
    const userId = 77;
    const ids: number[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift(await open(userId));
    const [fresh, answered, closed, archived, oldest] = ids as [number, number, number, number, number];
    const reply = { userId, staffId: staff, keyId: '', text: 'Yes', now };
    await test.models.tickets.reply({ ...reply, ticketId: answered });
    await test.models.tickets.close(userId, closed, { now });
    await test.models.tickets.setStatus(archived, 'Archived', { now });
    await collection().updateOne({ _id: oldest }, { $unset: { lastReplyBy: '' } });
    const search = async (filter: object) =>
      (await test.models.tickets.search({ userId, limit: 200, ...filter })).map(({ _id }) => _id);
    expect(await search({})).to.deep.equal(ids);
    expect(await search({ limit: 2 })).to.deep.equal([fresh, answered]);
    expect(await search({ before: closed })).to.deep.equal([archived, oldest]);
    expect(await search({ status: 'New' })).to.deep.equal([fresh, oldest]);
    expect(await search({ status: 'Archived' })).to.deep.equal([archived]);
    expect(await search({ awaiting: 'staff' })).to.deep.equal([fresh, oldest]);
    expect(await search({ awaiting: 'customer' })).to.deep.equal([answered]);
    expect(await search({ awaiting: 'staff', status: 'Closed' })).to.deep.equal([]);
    const [detail] = await test.models.tickets.searchDetails({ userId, awaiting: 'customer', limit: 1 });
    expect(detail).to.include({ userId, messageCount: 2, lastReplyBy: 'staff' });
  });

  it('are closed and reopened by their owner until they are archived', async () => {
    const id = await open();
    const change = async (name: 'close' | 'reopen', userId = owner) => {
      const outcome = await test.models.tickets[name](userId, id, { now });
      return outcome && [outcome.ticket.status, outcome.hasChanged];
    };
    expect(await change('reopen')).to.deep.equal(['New', false]);
    expect(await change('close', 2)).to.equal(null);
    expect(await change('close')).to.deep.equal(['Closed', true]);
    expect(await change('close')).to.deep.equal(['Closed', false]);
    expect(await change('reopen')).to.deep.equal(['Active', true]);
    await test.models.tickets.setStatus(id, 'Archived', { now });
    expect(await change('reopen')).to.deep.equal(['Archived', false]);
    expect(await change('close')).to.deep.equal(['Archived', false]);
  });

  it('of earlier releases are migrated to a last reply by the customer, once', async () => {
    const [old, answered] = [await open(), await open()];
    await answer(answered, 'Yes');
    await collection().updateOne({ _id: old }, { $unset: { lastReplyBy: '' } });
    expect((await read(old)).ticket.lastReplyBy).to.equal('customer');
    const migration = migrations.find(({ version }) => version === 2);
    for (let times = 0; times < 2; times += 1) await migration?.up?.(test.connection);
    expect(await collection().countDocuments({ _id: old, lastReplyBy: 'customer' })).to.equal(1);
    expect((await read(answered)).ticket.lastReplyBy).to.equal('staff');
  });
});
