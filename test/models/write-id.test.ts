/** Retries of a write whose outcome is unknown carry its write id and are applied once. */

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openTestModels } from '../support/models.ts';
import { useStarted } from '../support/use-started.ts';

describe('a write with a write id', () => {
  const test = useStarted(() => openTestModels());

  const now = new Date();
  const open = (writeId?: string, userId = 1) => {
    const ticket = { subject: 'Lag', serviceName: null, serviceReference: null, serviceType: null };
    return test.models.tickets.open({ ...ticket, userId, keyId: 'key', text: 'Hello', now, writeId });
  };
  const reply = (ticketId: number, writeId?: string) =>
    test.models.tickets.reply({ ticketId, userId: 1, keyId: 'key', text: 'Reply', now, writeId });
  const announce = (writeId?: string) => {
    const announcement = { title: 'Down', summary: '', message: 'For an hour.', tag: null };
    const shown = { status: 'published' as const, showInRibbon: false };
    return test.models.announcements.add({ ...announcement, ...shown, writeId }, now);
  };
  const count = (collection: string, filter: object) =>
    test.connection.collection(collection).countDocuments(filter);

  it('opens one ticket when retried, sequentially and concurrently with other tickets', async () => {
    const writeId = randomUUID();
    const first = await open(writeId);
    const together = await Promise.all([open(writeId), open(), open(writeId), open()]);
    expect(together.map(({ _id }) => _id === first._id)).to.deep.equal([true, false, true, false]);
    expect(await count('tickets', { writeId })).to.equal(1);
  });

  it('opens separate tickets for two users with the same write id', async () => {
    const writeId = randomUUID();
    const mine = await open(writeId);
    const theirs = await open(writeId, 2);
    expect(theirs._id).to.not.equal(mine._id);
  });

  it('adds one reply when retried, even after the ticket was closed', async () => {
    const { _id } = await open();
    const writeId = randomUUID();
    const outcomes = [await reply(_id, writeId), ...(await Promise.all([reply(_id, writeId), reply(_id)]))];
    await test.models.tickets.setStatus(_id, 'Closed', { now });
    outcomes.push(await reply(_id, writeId));
    expect(outcomes).to.deep.equal(['replied', 'replied', 'replied', 'replied']);
    expect(await reply(_id, randomUUID())).to.equal('closed');
    expect(await count('tickets', { _id, messages: { $size: 3 } })).to.equal(1);
  });

  it('adds one announcement when retried', async () => {
    const writeId = randomUUID();
    const first = await announce(writeId);
    expect((await announce(writeId))._id).to.equal(first._id);
    expect((await announce())._id).to.not.equal(first._id);
    expect(await count('announcements', { writeId })).to.equal(1);
  });
});
