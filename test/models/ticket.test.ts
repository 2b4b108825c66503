/** Tickets in the store: races, retries and size limits do not break them. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { ticketLimits } from '../../models/ticket/reply.ts';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

interface StoredTicket {
  _id: number;
  status: string;
  messages: object[];
  messageBytes: number;
  customerBytes: number;
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
    const conversation = await test.models.tickets.read({ id, after, limit });
    if (!conversation) throw new Error(`there is no ticket ${id}`);
    return conversation;
  };
  const collection = () => test.connection.collection<StoredTicket>('tickets');
  const change = (_id: number, $set: Partial<StoredTicket>) => collection().updateOne({ _id }, { $set });

  for (const [how, close, added] of [
    [
      'a change of their status',
      (id: number) => test.models.tickets.setStatus({ id: id, status: 'Closed' }, now),
      [],
    ],
    ['a closing answer', (id: number) => answer(id, 'Done', true), ['Done']],
  ] as const)
    it(`stay closed by ${how} under concurrent replies, and keep every accepted reply`, async () => {
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

  it('accept staff replies when they are full for their owner, by size or by count', async () => {
    const message = { id: 'x', userId: owner, keyId: 'key', text: '.', createdAt: now };
    const messages = Array.from({ length: ticketLimits.messages.customer }, () => message);
    for (const state of [{ customerBytes: ticketLimits.customerBytes }, { messages }]) {
      const id = await open();
      await change(id, state);
      expect(await reply(id)).to.equal('full');
      expect(await answer(id, 'Please open a new one')).to.equal('replied');
      expect(await reply(id)).to.equal('full');
    }
  });

  it('are full for both sides at 640 KiB, to the byte', async () => {
    const id = await open();
    await change(id, { messageBytes: ticketLimits.bytes - 3 });
    for (const write of [answer, reply]) expect(await write(id, 'ää')).to.equal('full');
    expect(await answer(id, 'ä!')).to.equal('replied');
    for (const write of [answer, reply]) expect(await write(id, '!')).to.equal('full');
  });

  it("accept the owner's full amount, however much staff wrote before", async () => {
    const id = await open();
    await change(id, { messageBytes: 128 * 1024 });
    for (let bytes = 10_000; bytes < ticketLimits.customerBytes; bytes += 10_000)
      expect(await reply(id, 'x'.repeat(10_000))).to.equal('replied');
  });

  it('get unique ids even when a failover rolled the counter back', async () => {
    const before = await Promise.all([open(), open(), open(), open()]);
    const sequences = test.connection.collection<{ _id: string; value: number }>('sequences');
    await sequences.updateOne({ _id: 'ticket' }, { $inc: { value: -4 } });
    const ids = [...before, ...(await Promise.all([open(), open(), open()]))];
    expect(new Set(ids)).to.have.lengthOf(7);
    expect(await open()).to.be.above(Math.max(...ids));
  });

  it('are created once for a write id of one user, even among others', async () => {
    const writeId = randomUUID();
    const first = await open(writeId);
    const together = await Promise.all([open(writeId), open(), open(writeId), open(writeId, 2)]);
    expect(together.map((id) => id === first)).to.deep.equal([true, false, true, false]);
  });

  it('keep one reply for a write id, even after they are closed', async () => {
    const id = await open();
    const writeId = randomUUID();
    const replies = [await reply(id, 'Reply', writeId)];
    replies.push(...(await Promise.all([reply(id, 'Reply', writeId), reply(id)])));
    await test.models.tickets.setStatus({ id: id, status: 'Closed' }, now);
    replies.push(await reply(id, 'Reply', writeId));
    expect(replies).to.deep.equal(Array(4).fill('replied'));
    expect(await reply(id, 'Reply', randomUUID())).to.equal('closed');
    expect((await read(id)).messages).to.have.lengthOf(3);
  });
});
