/** Tickets in the store: what races, retries, size limits and earlier releases must not break. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { mongo } from 'mongoose';
import { migrations } from '../../models/migrations/index.ts';
import { ticketLimits } from '../../models/ticket/write.ts';
import { openTestModels } from '../support/models.ts';
import { profile } from '../support/profiler.ts';
import { useStarted } from '../support/use-started.ts';

interface StoredTicket {
  _id: number;
  status: string;
  messages: object[];
  messageBytes: number;
}

const now = new Date('2026-11-21T12:00:00Z');
const service = { serviceName: null, serviceReference: null, serviceType: null };
const [owner, staff] = [1, 9];

describe('tickets', () => {
  const test = useStarted(() => openTestModels());

  const open = async (writeId?: string, userId = owner) => {
    const ticket = { ...service, userId, keyId: 'key', subject: 'Lag', text: 'Hello', now, writeId };
    return (await test.models.tickets.open(ticket))._id;
  };
  const reply = (ticketId: number, text = 'Reply', writeId?: string) =>
    test.models.tickets.reply({ ticketId, userId: owner, keyId: 'key', text, now, writeId });
  const answer = (ticketId: number, text: string, close = false) =>
    test.models.tickets.reply({ ticketId, userId: owner, staffId: staff, keyId: '', text, close, now });
  const read = async (id: number, after = 0, limit = 50) => {
    const conversation = await test.models.tickets.read(id, { after, limit });
    if (!conversation) throw new Error(`there is no ticket ${id}`);
    return conversation;
  };
  const collection = () => test.connection.collection<StoredTicket>('tickets');
  const change = (_id: number, $set: Partial<StoredTicket>) => collection().updateOne({ _id }, { $set });

  for (const [how, close, added] of [
    ['a change of their status', (id: number) => test.models.tickets.setStatus(id, 'Closed', { now }), []],
    ['a closing answer', (id: number) => answer(id, 'Done', true), ['Done']],
  ] as const)
    it(`stay closed by ${how} under concurrent replies, and keep every reply that was accepted`, async () => {
      for (let round = 0; round < 10; round += 1) {
        const id = await open();
        const texts = ['a', 'b', 'c'];
        const closing = close(id);
        const outcomes = await Promise.all(texts.map((text) => reply(id, text)));
        await closing;
        const accepted = texts.filter((_, index) => outcomes[index] === 'replied');
        const { ticket, messages } = await read(id);
        expect(ticket.status).to.equal('Closed');
        expect(messages.map(({ text }) => text)).to.deep.equal(['Hello', ...accepted, ...added]);
      }
    });

  it('accept replies up to the size limit to the byte', async () => {
    const id = await open();
    await change(id, { messageBytes: ticketLimits.customer.textBytes - 3 });
    expect(await reply(id, 'ää')).to.equal('full');
    expect(await reply(id, 'ä!')).to.equal('replied');
    expect(await reply(id, '!')).to.equal('full');
  });

  it('accept an answer by staff where they are full for their owner, by size or by count', async () => {
    const { textBytes, messages: countMax } = ticketLimits.customer;
    const message = { id: 'x', userId: owner, keyId: 'key', text: '.', createdAt: now };
    const full = [{ messageBytes: textBytes }, { messages: Array.from({ length: countMax }, () => message) }];
    for (const state of full) {
      const id = await open();
      await change(id, state);
      expect(await reply(id)).to.equal('full');
      expect(await answer(id, 'Please open a new one')).to.equal('replied');
      expect(await reply(id)).to.equal('full');
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

  it('are read from MongoDB no further than a page goes', async () => {
    const id = await open();
    const message = { id: 'm', userId: owner, keyId: '', text: '\u{1F44D}'.repeat(10_000), createdAt: now };
    await change(id, { messages: Array.from({ length: 100 }, () => message), messageBytes: 4_000_000 });
    const calls = await profile(test.connection, async () => {
      await Promise.all([read(id, 0, 100), read(await open(), 0, 100), read(id, 50, 100)]);
    });
    const bytes = calls.map(({ responseLength = 0 }) => responseLength);
    expect(Math.max(...bytes)).to.be.within(480_000, 512 * 1024);
  });

  it('get unique ids even when a failover rolled the counter back', async () => {
    const before = await Promise.all([open(), open(), open(), open()]);
    const sequences = test.connection.collection<{ _id: string; value: number }>('sequences');
    await sequences.updateOne({ _id: 'ticket' }, { $inc: { value: -4 } });
    const ids = [...before, ...(await Promise.all([open(), open(), open()]))];
    expect(new Set(ids)).to.have.lengthOf(7);
    expect(await open()).to.be.above(Math.max(...ids));
  });

  it('are opened once for a write id of one user, also beside others', async () => {
    const writeId = randomUUID();
    const first = await open(writeId);
    const together = await Promise.all([open(writeId), open(), open(writeId), open(writeId, 2)]);
    expect(together.map((id) => id === first)).to.deep.equal([true, false, true, false]);
  });

  it('keep one reply for a write id, also once they are closed', async () => {
    const id = await open();
    const writeId = randomUUID();
    const replies = [await reply(id, 'Reply', writeId)];
    replies.push(...(await Promise.all([reply(id, 'Reply', writeId), reply(id)])));
    await test.models.tickets.setStatus(id, 'Closed', { now });
    replies.push(await reply(id, 'Reply', writeId));
    expect(replies).to.deep.equal(Array(4).fill('replied'));
    expect(await reply(id, 'Reply', randomUUID())).to.equal('closed');
    expect((await read(id)).messages).to.have.lengthOf(3);
  });

  it('of earlier releases wait for staff, and are migrated to a last reply by the customer, once', async () => {
    const userId = 77;
    const [old, answered] = [await open(undefined, userId), await open(undefined, userId)];
    await test.models.tickets.reply({
      userId,
      ticketId: answered,
      staffId: staff,
      keyId: '',
      text: 'Yes',
      now,
    });
    await collection().updateOne({ _id: old }, { $unset: { lastReplyBy: '' } });
    for (const filter of [{ awaiting: 'staff' }, { status: 'New' }] as const) {
      const found = await test.models.tickets.searchDetails({ userId, limit: 9, ...filter });
      expect(found.map(({ _id, lastReplyBy }) => [_id, lastReplyBy])).to.deep.equal([[old, 'customer']]);
    }
    const migration = migrations.find(({ version }) => version === 2);
    for (let times = 0; times < 2; times += 1) await migration?.up?.(test.connection);
    const stored = await collection().find({ userId }).sort({ _id: 1 }).project({ lastReplyBy: 1 }).toArray();
    expect(stored.map(({ lastReplyBy }) => lastReplyBy)).to.deep.equal(['customer', 'staff']);
  });
});
