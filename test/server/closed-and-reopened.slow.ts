/** The response to a close shows what the close wrote, even if the ticket is reopened at once. */
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { TestReplicaSet } from '../support/replica-set.ts';
import { startTestService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

describe('a ticket that is closed and reopened at once', () => {
  const set = useStarted(() => TestReplicaSet.start({ members: 1 }));
  const service = useStarted(() => startTestService({ databaseUri: set.uri }));
  afterEach(() => set.failCommands(null));

  /** Slow reads: a close that read the ticket after its write would read later changes. */
  const slowReads = () => ({
    ...{ failCommands: ['find'], namespace: `${service.connection.name}.tickets` },
    ...{ blockConnection: true, blockTimeMS: 1000 },
  });

  async function openTicket() {
    const owner = await service.addUser({ isAdmin: true });
    const { secret: key } = await service.addKey({ user: owner });
    const body = { title: 'Lag', message: 'Since noon.' };
    const { id } = (await service.call('POST', '/tickets', { key, body })).body.ticket;
    const isClosed = async () => {
      const closed = { _id: id, status: 'Closed' };
      expect(await service.connection.collection('tickets').countDocuments(closed)).to.equal(1);
    };
    const { tickets, transaction } = service.models;
    const reopen = () =>
      transaction((session) => tickets.reopen({ id, userId: owner._id }, new Date(), session));
    return { id, key, isClosed, reopen };
  }

  it('makes the answer to support say closed', async () => {
    const { id, key, isClosed, reopen } = await openTicket();
    await set.failCommands(slowReads());
    const closing = service.call('POST', `/admin/tickets/${id}/status`, { key, body: { status: 'Closed' } });
    await eventually(isClosed);
    await reopen();
    expect((await closing).body.ticket.status).to.equal('Closed');
  });

  it('makes the answer say closed to a customer whose ticket was closed before, too', async () => {
    const { id, key, reopen } = await openTicket();
    await service.call('POST', `/tickets/${id}/close`, { key });
    const isReading = await set.failCommands(slowReads());
    const closing = service.call('POST', `/tickets/${id}/close`, { key });
    await isReading();
    await reopen();
    expect((await closing).body.ticket.status).to.equal('Closed');
  });
});
