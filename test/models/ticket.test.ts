/** Tickets in the store: concurrent replies and status changes lose no reply and reopen no closed ticket. */

import { expect } from 'chai';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

interface StoredTicket {
  _id: number;
  status: string;
  messages: { text: string }[];
  messageBytes: number;
}

const bytesMax = 12 * 1024 * 1024;

describe('tickets', () => {
  const test = useStarted(() => openTestModels());

  const now = new Date();
  const open = () => {
    const service = { serviceName: null, serviceReference: null, serviceType: null };
    return test.models.tickets.open({
      userId: 1,
      keyId: 'key',
      subject: 'Lag',
      text: 'Hello',
      ...service,
      now,
    });
  };
  const reply = (ticketId: number, text = 'Reply', userId = 1) =>
    test.models.tickets.reply({ ticketId, userId, keyId: 'key', text, now });
  const stored = async (id: number) =>
    (await test.connection.collection<StoredTicket>('tickets').findOne({ _id: id })) as StoredTicket;
  const fill = (id: number, messageBytes: number) =>
    test.connection.collection<StoredTicket>('tickets').updateOne({ _id: id }, { $set: { messageBytes } });

  it('stay closed under concurrent replies, and keep every reply that was accepted', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { _id } = await open();
      const [, ...outcomes] = await Promise.all([
        test.models.tickets.setStatus(_id, 'Closed', { now }),
        ...['a', 'b', 'c'].map((text) => reply(_id, text)),
      ]);
      const { status, messages } = await stored(_id);
      expect(status).to.equal('Closed');
      const replied = outcomes.filter((outcome) => outcome === 'replied');
      expect(messages).to.have.lengthOf(1 + replied.length);
    }
  });

  it('accept replies up to the size limit to the byte', async () => {
    const { _id } = await open();
    await fill(_id, bytesMax - 3);
    expect(await reply(_id, 'ää')).to.equal('full');
    expect(await reply(_id, 'ä!')).to.equal('replied');
    expect(await reply(_id, '!')).to.equal('full');
    expect((await stored(_id)).messageBytes).to.equal(bytesMax);
  });

  it('report why a reply was refused: missing, owned by another user, closed', async () => {
    const { _id } = await open();
    expect(await reply(999)).to.equal('not_found');
    expect(await reply(_id, 'Reply', 2)).to.equal('not_found');
    await test.models.tickets.setStatus(_id, 'Archived', { now });
    expect(await reply(_id)).to.equal('closed');
    expect(await reply(_id, 'Reply', 2)).to.equal('not_found');
  });

  it('get unique ids even when a failover rolled the counter back', async () => {
    const before = await Promise.all([open(), open(), open(), open()]);
    const sequences = test.connection.collection<{ _id: string; value: number }>('sequences');
    await sequences.updateOne({ _id: 'ticket' }, { $inc: { value: -4 } });
    const after = await Promise.all([open(), open(), open()]);
    const ids = [...before, ...after].map(({ _id }) => _id);
    expect(new Set(ids)).to.have.lengthOf(7);
    expect((await open())._id).to.be.above(Math.max(...ids));
  });

  it('cannot be closed when they do not exist', async () => {
    expect(await test.models.tickets.setStatus(999, 'Closed', { now })).to.equal(null);
  });

  it('accept or refuse each of several concurrent replies independently', async () => {
    const [mine, closed] = [await open(), await open()];
    await test.models.tickets.setStatus(closed._id, 'Closed', { now });
    const outcomes = await Promise.all([
      reply(mine._id),
      reply(closed._id),
      reply(999),
      reply(mine._id, 'Reply', 2),
      reply(mine._id),
    ]);
    expect(outcomes).to.deep.equal(['replied', 'closed', 'not_found', 'not_found', 'replied']);
    expect((await stored(mine._id)).messages).to.have.lengthOf(3);
  });
});
