/** Only staff see who works on a ticket, and its notes. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { signInAccount } from '../../support/account.ts';
import { expectError } from '../../support/expect-error.ts';
import { createSendMessage, toolCall } from '../../support/mcp.ts';
import { useService } from '../../support/service.ts';

interface Member {
  user: UserRecord;
  secret: string;
}

describe("staff's work on a ticket", () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let robin: Member;
  let kim: Member;
  let customer: Member;
  let id: number;

  before(async () => {
    robin = await service.addKey({ user: await service.addUser({ isSupport: true, nickname: 'Robin' }) });
    kim = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
  });
  beforeEach(async () => {
    customer = await service.addKey();
    const body = { title: 'Lag', message: 'Since noon.' };
    id = (await post('/tickets', body, customer)).body.ticket.id;
  });

  const post = (path: string, body: object, { secret: key } = robin) =>
    service.call('POST', path, { key, body });
  const read = async (path = `/${id}`, { secret: key } = robin) =>
    (await service.call('GET', `/admin/tickets${path}`, { key })).body;
  const assign = (body: object, by = robin) => post(`/admin/tickets/${id}/assign`, body, by);
  const note = (text: string, by = robin) => post(`/admin/tickets/${id}/notes`, { note: text }, by);
  const asRobin = () => ({ id: robin.user._id, nickname: 'Robin' });
  const asKim = () => ({ id: kim.user._id, nickname: null });

  describe('POST /admin/tickets/{ticket_id}/assign', () => {
    const taken = 'Someone else has just taken or released this ticket';

    it('assigns and releases a ticket, shows that in lists and reads, and keeps updated_at (200)', async () => {
      const before = (await read()).ticket;
      expect(before.assignee).to.equal(null);
      service.clock.advance(60_000);
      const { status, body } = await assign({ assigned: true });
      expect([status, body]).to.deep.equal([200, { ticket: { ...before, assignee: asRobin() } }]);
      expect((await read()).ticket).to.deep.equal(body.ticket);
      expect((await read(`?user_id=${customer.user._id}`)).tickets).to.deep.equal([body.ticket]);
      expect((await assign({ assigned: false })).body).to.deep.equal({ ticket: before });
    });

    it('refuses when someone else has the ticket than expected, unless it already is as requested (409 conflict)', async () => {
      await assign({ assigned: true, expected: null });
      expectError(await assign({ assigned: true, expected: null }, kim), 'conflict', taken);
      expectError(await assign({ assigned: false, expected: kim.user._id }, kim), 'conflict', taken);
      expect((await assign({ assigned: true, expected: null })).status).to.equal(200);
      const over = await assign({ assigned: true, expected: robin.user._id }, kim);
      expect(over.body.ticket.assignee).to.deep.equal(asKim());
      expect((await assign({ assigned: true })).body.ticket.assignee).to.deep.equal(asRobin());
      expect((await assign({ assigned: false }, kim)).body.ticket.assignee).to.equal(null);
      expect((await assign({ assigned: false, expected: kim.user._id })).status).to.equal(200);
    });

    it('is a tool in which `none` expects no assignee and null expects any', async () => {
      const send = createSendMessage(service.url);
      const call = async (args: object) =>
        (
          await send(toolCall('assign_customer_ticket', { ticket_id: id, assigned: true, ...args }), {
            key: kim.secret,
          })
        ).body.result;
      await assign({ assigned: true });
      expect((await call({ expected: 'none' })).isError).to.equal(true);
      expect((await call({ expected: null })).structuredContent.ticket.assignee).to.deep.equal(asKim());
    });
  });

  it('shows whose ticket it is: GET /admin/tickets?assignee lists own or unassigned ones in every status', async () => {
    const ids = async (query: string, by = robin) =>
      (await read(`?user_id=${customer.user._id}${query}`, by)).tickets.map(
        (ticket: { id: number }) => ticket.id,
      );
    expect([await ids('&assignee=me'), await ids('&assignee=none')]).to.deep.equal([[], [id]]);
    await assign({ assigned: true });
    await post(`/admin/tickets/${id}/status`, { status: 'Closed' });
    expect([await ids('&assignee=me'), await ids('&assignee=none')]).to.deep.equal([[id], []]);
    expect(await ids('&assignee=me&status=Active')).to.deep.equal([]);
    expect(await ids('&assignee=me', kim)).to.deep.equal([]);
  });

  describe('POST /admin/tickets/{ticket_id}/notes', () => {
    it('numbers notes from 1, also on closed and archived tickets, and keeps updated_at (201)', async () => {
      await post(`/admin/tickets/${id}/status`, { status: 'Archived' });
      const { ticket } = await read();
      service.clock.advance(60_000);
      const first = await note('Asks often.');
      const { created_at } = first.body.note;
      const noted = { number: 1, author: asRobin(), note: 'Asks often.', created_at };
      expect([first.status, first.body]).to.deep.equal([201, { note: noted }]);
      const second = { ...(await note('Refunded.', kim)).body.note };
      expect(second).to.deep.include({ number: 2, author: asKim(), note: 'Refunded.' });
      const found = await read();
      expect([found.ticket, found.notes]).to.deep.equal([ticket, [noted, second]]);
    });

    it('keeps each of several concurrent notes (201)', async () => {
      const texts = ['one', 'two', 'three', 'four'];
      const numbers = await Promise.all(texts.map(async (text) => (await note(text)).body.note.number));
      expect(numbers).to.have.members([1, 2, 3, 4]);
      const { notes } = await read();
      expect(notes.map((each: { note: string }) => each.note)).to.have.members(texts);
    });

    it('refuses more than 100 notes or 128 KiB of them on a ticket (400 bad_request)', async () => {
      const full = 'The ticket has no room for another note';
      const long = '\u{1F600}'.repeat(5000);
      for (let count = 0; count < 6; count += 1) expect((await note(long)).status).to.equal(201);
      expectError(await note(long), 'bad_request', full);
      for (let count = 6; count < 100; count += 1) await note('Short.');
      expectError(await note('Short.'), 'bad_request', full);
      expect((await read()).notes).to.have.lengthOf(100);
    });

    it('keeps notes after their author, the assignee and the customer are deleted', async () => {
      const former = await service.addKey({
        user: await service.addUser({ isSupport: true, nickname: 'Ex' }),
      });
      await note('Was here.', former);
      await assign({ assigned: true }, former);
      const { transaction, userAccess } = service.models;
      for (const { user } of [former, customer])
        await transaction((session) => userAccess.delete(user._id, new Date(), session));
      const { ticket, notes } = await read();
      const author = { id: former.user._id, nickname: null };
      expect(notes[0]).to.deep.include({ author, note: 'Was here.' });
      expect(ticket.assignee).to.deep.equal(author);
      expect((await assign({ assigned: true, expected: author.id })).status).to.equal(200);
    });
  });

  it('is hidden from customers over REST, tRPC and MCP, on the page and in activity', async () => {
    const { secret: key, user } = customer;
    await assign({ assigned: true });
    await note('Looks like a known cheat.');
    await post(`/admin/tickets/${id}/reply`, { message: 'We look into it.' });
    await post(`/tickets/${id}/reply`, { message: 'Thank you.' }, customer);
    await service.flushAudit();
    const { api } = await signInAccount(service.url, user);
    const encoded = encodeURIComponent(JSON.stringify({ ticket_id: id }));
    const ways: unknown[] = [
      (await service.call('GET', `/tickets/${id}`, { key })).body,
      (await service.call('GET', '/tickets?limit=10', { key })).body,
      (await service.call('GET', '/activity', { key })).body,
      (await service.callAt('GET', `/trpc/tickets.get?input=${encoded}`, { key })).body,
      (await createSendMessage(service.url)(toolCall('get_ticket', { ticket_id: id }), { key })).body,
      await api.tickets.get.query({ ticket_id: id }),
      await api.tickets.list.query({}),
      await api.activity.list.query({}),
    ];
    for (const way of ways) {
      expect(JSON.stringify(way)).to.include(String(id));
      expect(JSON.stringify(way)).not.to.match(/cheat|assignee|[Nn]ote/);
    }
  });
});
