/** The audit records staff's work on tickets with the ticket's owner, in every protocol and on the account page. */
import { expect } from 'chai';
import type { AuditEntryRecord } from '../../../models/audit-entry.ts';
import type { UserRecord } from '../../../models/user.ts';
import { signInAccount } from '../../support/account.ts';
import { type AskKeyed, isReplay, keyedCallsOf } from '../../support/protocol-clients.ts';
import { mutations } from '../../support/samples.ts';
import { useService } from '../../support/service.ts';

describe("the audit of staff's work on tickets", () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let staff: { user: UserRecord; secret: string };
  let customer: { user: UserRecord; secret: string };
  let id: number;

  before(async () => {
    staff = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    customer = await service.addKey();
  });
  beforeEach(async () => {
    const body = { title: 'Lag', message: 'Since noon.' };
    id = (await service.call('POST', '/tickets', { key: customer.secret, body })).body.ticket.id;
    await service.flushAudit();
    await service.connection.collection('audit_entries').deleteMany({});
  });

  async function entriesOf({ _id }: UserRecord): Promise<AuditEntryRecord[]> {
    await service.flushAudit();
    return (await service.models.auditEntries.list({ userId: _id, limit: 20 })).reverse();
  }

  const tell = ({ operation, target, ownerId, status }: AuditEntryRecord) => ({
    ...{ operation, target, ownerId, status },
  });

  const writes: Record<string, { input: Record<string, unknown>; status: number }> = {
    'admin.answerTicket': { input: { message: 'Better?' }, status: 201 },
    'admin.setTicketStatus': { input: { status: 'Closed' }, status: 200 },
    'admin.assignTicket': { input: { assigned: true }, status: 200 },
    'admin.noteTicket': { input: { note: 'Asks often.' }, status: 201 },
  };

  for (const row of mutations) {
    const { name: operation } = row;
    const { input, status } = writes[operation] ?? {};
    if (!input) continue;
    for (const [way, ask] of Object.entries<AskKeyed>(keyedCallsOf(row)))
      it(`names the ticket's owner for ${operation} ${way}, even when repeated`, async () => {
        const idempotencyKey = `${operation} ${way}`;
        const request = { row, input: { ...input, ticket_id: id }, key: staff.secret, idempotencyKey };
        await ask(service, request);
        expect(isReplay(await ask(service, request))).to.equal(true);
        const entry = { operation, target: String(id), ownerId: customer.user._id, status };
        expect((await entriesOf(staff.user)).map(tell)).to.deep.equal([entry, entry]);
      });
  }

  it("names the ticket's owner for reads and writes on the account page", async () => {
    const { api } = await signInAccount(service.url, staff.user);
    await api.admin.getTicket.query({ ticket_id: id });
    await api.admin.answerTicket.mutate({ ticket_id: id, message: 'Better?' });
    await api.admin.setTicketStatus.mutate({ ticket_id: id, status: 'Closed' });
    const entries = (await entriesOf(staff.user)).filter(({ target }) => target === String(id));
    expect(entries.map(({ operation, ownerId }) => [operation, ownerId])).to.have.deep.members([
      ['admin.getTicket', customer.user._id],
      ['admin.answerTicket', customer.user._id],
      ['admin.setTicketStatus', customer.user._id],
    ]);
  });

  it('names the owner of a ticket that refuses an answer or status, and of one that staff read', async () => {
    const post = (path: string, body: object) =>
      service.call('POST', `/admin/tickets/${id}${path}`, { key: staff.secret, body });
    await post('/status', { status: 'Archived' });
    expect((await post('/reply', { message: 'Better?' })).status).to.equal(400);
    expect((await post('/status', { status: 'Active' })).status).to.equal(400);
    await service.call('GET', `/admin/tickets/${id}`, { key: staff.secret });
    const entries = await entriesOf(staff.user);
    expect(entries.map(({ status, ownerId }) => [status, ownerId])).to.have.deep.members([
      [200, customer.user._id],
      [400, customer.user._id],
      [400, customer.user._id],
      [200, customer.user._id],
    ]);
  });

  it("names no owner for a missing ticket or for a customer's own calls", async () => {
    const body = { message: 'Hello' };
    await service.call('POST', '/admin/tickets/999999/reply', { key: staff.secret, body });
    await service.call('POST', `/admin/tickets/${id}/reply`, { key: customer.secret, body });
    await service.call('POST', `/tickets/${id}/reply`, { key: customer.secret, body });
    const entries = [...(await entriesOf(staff.user)), ...(await entriesOf(customer.user))];
    expect(entries.map(({ status }) => status)).to.have.members([404, 403, 201]);
    for (const entry of entries) expect(entry).not.to.have.property('ownerId');
  });
});
