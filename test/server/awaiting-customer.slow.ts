/** `awaiting=customer` while support answers and closes a ticket between the two reads that make the list. */
import { expect } from 'chai';
import { TestReplicaSet } from '../support/replica-set.ts';
import { startTestService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

describe('GET /tickets?awaiting=customer while support answers and closes', () => {
  const set = useStarted(() => TestReplicaSet.start({ members: 1 }));
  const service = useStarted(() => startTestService({ databaseUri: set.uri }));
  afterEach(() => set.failCommands(null));

  for (const [when, mode] of [
    ['after the first read', { skip: 1 }],
    ['before the first read', { times: 1 }],
  ] as const)
    it(`returns a ticket once if it is closed ${when}`, async () => {
      const { secret: key, user } = await service.addKey();
      const body = { title: 'Lag', message: 'Since noon.' };
      const ticketId = (await service.call('POST', '/tickets', { key, body })).body.ticket.id;
      const answer = { ticketId, userId: user._id, staffId: 1, keyId: '', text: 'Mended.', now: new Date() };
      await service.models.tickets.reply(answer);
      const namespace = `${service.connection.name}.tickets`;
      const slow = { failCommands: ['find'], namespace, blockConnection: true, blockTimeMS: 1000 };
      const isWaiting = await set.failCommands(slow, mode);
      const listing = service.call('GET', '/tickets?awaiting=customer', { key });
      await isWaiting();
      await service.models.tickets.reply({ ...answer, close: true });
      const listed = (await listing).body.tickets;
      expect(listed.map(({ id, status }: { id: number; status: string }) => [id, status])).to.deep.equal([
        [ticketId, 'Closed'],
      ]);
    });
});
