/** The staff's view of all customers' tickets: lists, conversations, answers and status. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { expectError } from '../../support/expect-error.ts';
import { useService } from '../../support/service.ts';

describe('/admin/tickets', () => {
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
    it('200: lists tickets of all customers with their owners, newest first', async () => {
      const other = await service.addKey();
      const [first, second] = [await open(), await open(other)];
      const { body } = await get('?limit=2');
      expect(body.tickets.map(({ id }: { id: number }) => id)).to.deep.equal([second, first]);
      const { _id: id, email } = customer.user;
      expect(body.tickets[1].user).to.deep.equal({ id, email, nickname: 'dana' });
      expect(body.tickets[1]).to.include({ message_count: 1, last_reply_by: 'customer' });
    });

    it('200: filters by user, status, awaited side and id', async () => {
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

    it('200: sort=waiting lists the open tickets that wait for staff, the longest waiting first', async () => {
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

    it('200: search finds subjects whatever their case, and customers by the beginning of their address', async () => {
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

    it('400 bad_request: a queue has no pages and is not searched', async () => {
      for (const query of ['before=7', 'search=lag']) {
        const message = `${query.split('=')[0]} cannot be given with sort=waiting`;
        expectError(await get(`?sort=waiting&${query}`), 'bad_request', message);
      }
    });

    it('200: shows 50 tickets unless asked for more', async () => {
      const owner = await service.addKey();
      await Promise.all(Array.from({ length: 51 }, () => open(owner)));
      const count = async (query: string) =>
        (await get(`?user_id=${owner.user._id}${query}`)).body.tickets.length;
      expect([await count(''), await count('&limit=200')]).to.deep.equal([50, 51]);
    });
  });

  describe('POST /admin/tickets/{ticket_id}/reply', () => {
    it('201: Active, or Closed with close, after which the customer cannot reply', async () => {
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

    it('201: an administrator who answers an own ticket is staff there', async () => {
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
    it('200: sets each status, the same one twice, and Archived for good', async () => {
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
