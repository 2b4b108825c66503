/** Staff list, read, answer and close the tickets of all customers. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { expectError } from '../../support/expect-error.ts';
import { useService } from '../../support/service.ts';

describe('tickets for staff', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let staff: { user: UserRecord; secret: string };
  let customer: { user: UserRecord; secret: string };

  before(async () => {
    staff = await service.addKey({ user: await service.addUser({ isAdmin: true, nickname: 'Robin' }) });
    customer = await service.addKey({ user: await service.addUser({ nickname: 'dana' }) });
  });

  const open = async (by = customer): Promise<number> => {
    const body = { title: 'Lag', message: 'Since noon.' };
    return (await service.call('POST', '/tickets', { key: by.secret, body })).body.ticket.id;
  };
  const post = (path: string, body: object, key = staff.secret) => service.call('POST', path, { key, body });
  const get = (path: string, key = staff.secret) => service.call('GET', `/admin/tickets${path}`, { key });
  const answer = (id: number, body: object) => post(`/admin/tickets/${id}/reply`, body);
  const setStatus = (id: number, status: string) => post(`/admin/tickets/${id}/status`, { status });
  const writeAsCustomer = (id: number) =>
    post(`/tickets/${id}/reply`, { message: 'Still there' }, customer.secret);

  describe('GET /admin/tickets', () => {
    it('lists tickets of all customers with their owners, newest first (200)', async () => {
      const other = await service.addKey();
      const [first, second] = [await open(), await open(other)];
      const { body } = await get('?limit=2');
      expect(body.tickets.map(({ id }: { id: number }) => id)).to.deep.equal([second, first]);
      const { _id: id, email } = customer.user;
      expect(body.tickets[1].user).to.deep.equal({ id, email, nickname: 'dana' });
      expect(body.tickets[1]).to.include({ message_count: 1, last_reply_by: 'customer' });
    });

    it('filters by user, status, awaited side and id (200)', async () => {
      const owner = await service.addKey();
      const [answered, fresh] = [await open(owner), await open(owner)];
      await answer(answered, { message: 'Better?' });
      const list = async (query: string) =>
        (await get(`?user_id=${owner.user._id}${query}`)).body.tickets.map(({ id }: { id: number }) => id);
      expect(await list('')).to.deep.equal([fresh, answered]);
      expect(await list('&awaiting=staff')).to.deep.equal([fresh]);
      expect(await list('&awaiting=customer')).to.deep.equal([answered]);
      expect(await list('&status=Active')).to.deep.equal([answered]);
      expect(await list(`&before=${fresh}`)).to.deep.equal([answered]);
    });

    it('lists open tickets that await staff, longest waiting first, with sort=waiting (200)', async () => {
      const owner = await service.addKey();
      const ids: number[] = [];
      for (let count = 0; count < 4; count += 1) {
        ids.push(await open(owner));
        service.clock.advance(60_000);
      }
      const [first = 0, second = 0, third = 0, closed = 0] = ids;
      await answer(second, { message: 'Better?' });
      await setStatus(closed, 'Closed');
      service.clock.advance(60_000);
      await post(`/tickets/${first}/reply`, { message: 'It got worse.' }, owner.secret);
      const { body } = await get(`?user_id=${owner.user._id}&sort=waiting`);
      expect(body.tickets.map(({ id }: { id: number }) => id)).to.deep.equal([third, first]);
    });

    it('finds subjects in any case and customers by the start of their address with search (200)', async () => {
      const owner = await service.addKey({ user: await service.addUser({ email: 'zoe@example.com' }) });
      const body = { title: 'Crash (100%) at START', message: 'It is down.' };
      const { id } = (await post('/tickets', body, owner.secret)).body.ticket;
      const found = async (search: string, rest = '') =>
        (await get(`?search=${encodeURIComponent(search)}${rest}`)).body.tickets.map(
          (ticket: { id: number }) => ticket.id,
        );
      expect(await found('crash (100%)')).to.deep.equal([id]);
      expect(await found('crash .*')).to.deep.equal([]);
      expect(await found('Zoe@example')).to.deep.equal([id]);
      expect(await found('zoe@example.com', '&awaiting=customer')).to.deep.equal([]);
      expect(await found('zoe@example.com', `&user_id=${customer.user._id}`)).to.deep.equal([]);
      expect(await found('nobody@')).to.deep.equal([]);
    });

    it('refuses pages and search on a queue (400 bad_request)', async () => {
      for (const query of ['before=7', 'search=lag']) {
        const message = `${query.split('=')[0]} cannot be given with sort=waiting`;
        expectError(await get(`?sort=waiting&${query}`), 'bad_request', message);
      }
    });

    it('returns 50 tickets by default (200)', async () => {
      const owner = await service.addKey();
      await Promise.all(Array.from({ length: 51 }, () => open(owner)));
      const count = async (query: string) =>
        (await get(`?user_id=${owner.user._id}${query}`)).body.tickets.length;
      expect([await count(''), await count('&limit=200')]).to.deep.equal([50, 51]);
    });
  });

  describe('POST /admin/tickets/{ticket_id}/reply', () => {
    it('makes a ticket Active, or with close Closed, after which the customer cannot reply (201)', async () => {
      const id = await open();
      expect((await answer(id, { message: 'Which world?' })).body).to.deep.equal({
        ticket_id: id,
        status: 'Active',
      });
      expect((await writeAsCustomer(id)).status).to.equal(201);
      const closing = await answer(id, { message: 'Done.', close: true });
      expect([closing.status, closing.body]).to.deep.equal([201, { ticket_id: id, status: 'Closed' }]);
      expect((await writeAsCustomer(id)).status).to.equal(400);
      expect((await answer(id, { message: 'One more' })).status).to.equal(400);
    });

    it('treats an administrator who answers their own ticket as staff (201)', async () => {
      const id = await open(staff);
      await answer(id, { message: 'To myself' });
      const { body } = await get(`/${id}`);
      expect(body.messages.map(({ author }: { author: string }) => author)).to.deep.equal([
        'customer',
        'staff',
      ]);
    });
  });

  describe('POST /admin/tickets/{ticket_id}/status', () => {
    it('sets each status, accepts the same one twice, and makes Archived final (200)', async () => {
      const id = await open();
      for (const status of ['Active', 'Active', 'Closed', 'Active', 'Archived', 'Archived']) {
        const { body } = await setStatus(id, status);
        expect(body.ticket).to.deep.include({ id, status });
        expect(body.ticket.user.email).to.equal(customer.user.email);
      }
      for (const status of ['Active', 'Closed'])
        expectError(await setStatus(id, status), 'bad_request', 'The ticket is archived, which is final');
    });
  });
});
