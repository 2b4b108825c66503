/** The staff's lists read few documents, however many tickets exist. */
import { expect } from 'chai';
import type { TicketRecord, TicketStatus } from '../../../models/ticket/schema.ts';
import { profile } from '../../support/profiler.ts';
import { useAdmin } from '../../support/use-key.ts';

const ticketCount = 5000;
const customerCount = 50;
const limit = 10;
/** More tickets than one list shows, because lists of several statuses are merged. */
const examinedMax = 2 * limit;

function statusOf(id: number): TicketStatus {
  if (id % 250 === 0) return 'New';
  if (id % 250 < 3) return 'Active';
  return id % 10 === 3 ? 'Archived' : 'Closed';
}

const ticketOf = (_id: number): TicketRecord => ({
  ...{ _id, userId: 1000 + (_id % customerCount), subject: 'Lag', folded: 'lag', status: statusOf(_id) },
  lastReplyBy: _id % 3 === 0 ? 'staff' : 'customer',
  ...{ serviceName: null, serviceReference: null, serviceType: null, messages: [] },
  ...{ messageCount: 0, messageBytes: 0, customerBytes: 0 },
  ...{ createdAt: new Date(0), updatedAt: new Date(0), isUnread: _id % 3 === 0 },
  ...(_id % 2 === 0 && { assigneeId: 7 }),
});

const statuses = ['', '&status=New', '&status=Active', '&status=Closed', '&status=Archived'];
const awaited = ['', '&awaiting=staff', '&awaiting=customer'];
const rest = ['', `&before=${ticketCount / 2}`, '&user_id=1007', `&user_id=1007&before=${ticketCount / 2}`];
const queries = rest.flatMap((more) =>
  statuses.flatMap((status) => awaited.map((side) => `?limit=${limit}${status}${side}${more}`)),
);

describe(`GET /admin/tickets among ${ticketCount} tickets`, () => {
  const service = useAdmin({ rateLimitPerMinute: 1_000_000 });

  before(async () => {
    const tickets = Array.from({ length: ticketCount }, (_, index) => ticketOf(index + 1));
    await service.connection.collection<TicketRecord>('tickets').insertMany(tickets);
  });

  it(`examines at most ${examinedMax} tickets to show ${limit}, with any filter (200)`, async () => {
    const calls = await profile(service.connection, async () => {
      for (const query of queries) {
        const { status, text } = await service.call('GET', `/admin/tickets${query}`, { key: service.key });
        expect(status, text).to.equal(200);
      }
    });
    const finds = calls.filter(({ ns, op }) => op === 'query' && ns.endsWith('.tickets'));
    expect(finds).to.have.lengthOf(queries.length);
    for (const { keysExamined, docsExamined, planSummary, hasSortStage, nreturned, command } of finds) {
      const filter = JSON.stringify(command.filter);
      expect(planSummary, filter).not.to.include('COLLSCAN');
      expect(Math.max(keysExamined ?? 0, docsExamined ?? 0), filter).to.be.at.most(examinedMax);
      expect(nreturned === 0 || !hasSortStage, filter).to.equal(true);
    }
  });

  it("counts waiting and unread tickets and finds an agent's tickets by examining at most 100", async () => {
    const { tickets } = service.models;
    const calls = await profile(service.connection, async () => {
      for (const filter of [{}, { status: 'Active' }] as const) {
        const mine = await tickets.searchDetails({ assigneeId: 7, limit, ...filter });
        expect(mine.map(({ _id }) => _id)).to.have.lengthOf(limit);
      }
      expect(await tickets.countWaiting()).to.equal(41);
      expect(await tickets.countUnread(1007)).to.equal(33);
    });
    for (const { docsExamined, keysExamined, planSummary } of calls) {
      expect(planSummary).to.include('IXSCAN');
      expect(docsExamined ?? 0).to.be.at.most(limit);
      expect(keysExamined ?? 0).to.be.at.most(100);
    }
  });
});
