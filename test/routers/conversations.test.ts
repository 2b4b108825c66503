/** Customers filter their conversations, page through messages, close and reopen. */
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { createSendMessage, toolCall } from '../support/mcp.ts';
import { useService } from '../support/service.ts';

describe("a customer's conversations", () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let staffKey: string;
  let key: string;

  before(async () => {
    const staff = await service.addUser({
      isAdmin: true,
      nickname: 'Robin',
      email: 'robin@staff.example.com',
    });
    ({ secret: staffKey } = await service.addKey({ user: staff }));
  });
  beforeEach(async () => {
    ({ secret: key } = await service.addKey({ user: await service.addUser({ nickname: 'dana' }) }));
  });

  const open = async (): Promise<number> => {
    const body = { title: 'Lag', message: 'Since noon.', service_name: 'Survival' };
    return (await service.call('POST', '/tickets', { key, body })).body.ticket.id;
  };
  const post = (path: string, body?: object, by = key) => service.call('POST', path, { key: by, body });
  const get = (path: string, by = key) => service.call('GET', path, { key: by });
  const answer = (id: number, message: string, close = false) =>
    post(`/admin/tickets/${id}/reply`, { message, close }, staffKey);

  describe('GET /tickets/{ticket_id}', () => {
    it("shows the ticket and both sides' messages with nicknames and nothing more (200)", async () => {
      const id = await open();
      await answer(id, 'Which world?');
      const { status, body, text } = await get(`/tickets/${id}`);
      expect(status).to.equal(200);
      expect(body.ticket).to.deep.include({
        ...{ id, subject: 'Lag', status: 'Active', last_reply_by: 'staff', message_count: 2 },
        ...{ service_name: 'Survival', service_reference: null, service_type: null },
      });
      const [first, second] = body.messages;
      expect(first).to.deep.include({ number: 1, author: 'customer', name: 'dana', message: 'Since noon.' });
      expect(second).to.deep.include({ number: 2, author: 'staff', name: 'Robin', message: 'Which world?' });
      expect(Object.keys(second)).to.deep.equal(['number', 'author', 'name', 'message', 'created_at']);
      expect(body.has_more).to.equal(false);
      expect(text).not.to.include('staff.example.com');
    });

    it('names staff without a nickname "Support"', async () => {
      const user = await service.addUser({ isAdmin: true, nickname: ' ', firstName: 'Secret' });
      const { secret } = await service.addKey({ user });
      const id = await open();
      await post(`/admin/tickets/${id}/reply`, { message: 'Hello' }, secret);
      const { body, text } = await get(`/tickets/${id}`);
      expect(body.messages[1].name).to.equal('Support');
      expect(text).not.to.include('Secret').and.not.to.include(user.email);
    });

    it('pages through messages by their numbers', async () => {
      const id = await open();
      for (const message of ['two', 'three', 'four']) await post(`/tickets/${id}/reply`, { message });
      const page = async (query: string) => {
        const { body } = await get(`/tickets/${id}?${query}`);
        return [body.messages.map(({ number }: { number: number }) => number), body.has_more];
      };
      expect(await page('limit=2')).to.deep.equal([[1, 2], true]);
      expect(await page('after=2&limit=2')).to.deep.equal([[3, 4], false]);
      expect(await page('after=4')).to.deep.equal([[], false]);
      expect(await page('after=9007199254740991')).to.deep.equal([[], false]);
    });

    for (const [what, text, perPage] of [
      ['emoji', '\u{1F44D}', 12],
      ['control characters', '\u0001', 8],
    ] as const)
      it(`ends a page of messages of 10,000 ${what} at 512 KiB, and has_more leads to the rest (200)`, async () => {
        const id = await open();
        const message = { id: 'm', userId: 1, keyId: '', text: text.repeat(10_000), createdAt: new Date() };
        const tickets = service.connection.collection<{ _id: number }>('tickets');
        const messages = Array.from({ length: 30 }, () => message);
        const messageBytes = 30 * Buffer.byteLength(message.text);
        await tickets.updateOne({ _id: id }, { $set: { messages, messageBytes, messageCount: 30 } });
        const numbers: number[] = [];
        for (let hasMore = true; hasMore; ) {
          const answer = await get(`/tickets/${id}?limit=100&after=${numbers.length}`);
          expect(Buffer.byteLength(answer.text)).to.be.at.most(512 * 1024);
          numbers.push(...answer.body.messages.map(({ number }: { number: number }) => number));
          hasMore = answer.body.has_more;
          if (hasMore) expect(answer.body.messages).to.have.length(perPage);
        }
        expect(numbers).to.deep.equal(messages.map((_, index) => index + 1));
      });
  });

  describe('GET /tickets with a query', () => {
    it('shows the last author and the number of messages, which a list without a query omits (200)', async () => {
      const id = await open();
      await answer(id, 'Which world?');
      const facts = { last_reply_by: 'staff', message_count: 2, service_name: 'Survival' };
      expect((await get('/tickets?limit=1')).body.tickets[0]).to.deep.include({ id, ...facts });
      expect((await get('/tickets')).body.tickets[0]).to.not.have.any.keys(...Object.keys(facts));
    });

    it('filters by status and awaited side, newest first (200)', async () => {
      const [archived, answered, fresh, closed] = [await open(), await open(), await open(), await open()];
      await service.models.tickets.setStatus({ id: archived, status: 'Archived' }, new Date());
      await answer(answered, 'Better now?');
      await post(`/tickets/${closed}/close`);
      const list = async (query: string) =>
        (await get(`/tickets?${query}`)).body.tickets.map(({ id }: { id: number }) => id);
      expect(await list('awaiting=customer')).to.deep.equal([answered]);
      expect(await list('awaiting=staff')).to.deep.equal([fresh]);
      expect(await list('status=Closed')).to.deep.equal([closed]);
      expect(await list('status=Archived')).to.deep.equal([archived]);
      expect(await list('status=Closed&awaiting=staff')).to.deep.equal([]);
      expect(await list('limit=2')).to.deep.equal([closed, fresh]);
      expect(await list(`before=${closed}`)).to.deep.equal([fresh, answered, archived]);
    });

    it('with awaiting=customer also lists tickets closed by an answer, until read over the API or as a tool (200)', async () => {
      const list = async () =>
        (await get('/tickets?awaiting=customer')).body.tickets.map(({ id }: { id: number }) => id);
      const [byApi, byTool, closedLater] = [await open(), await open(), await open()];
      for (const id of [byApi, byTool]) await answer(id, 'Done.', true);
      await answer(closedLater, 'Done?');
      expect(await list()).to.deep.equal([closedLater, byTool, byApi]);
      expect((await get('/tickets?awaiting=customer&status=Closed')).body.tickets).to.have.length(2);
      await post(`/tickets/${closedLater}/close`);
      expect(await list()).to.deep.equal([byTool, byApi]);
      await get(`/tickets/${byApi}?limit=1`);
      await get(`/tickets/${byApi}?limit=2`);
      await eventually(async () => expect(await list()).to.deep.equal([byTool]));
      await createSendMessage(service.url)(toolCall('get_ticket', { ticket_id: byTool }), { key });
      await eventually(async () => expect(await list()).to.deep.equal([]));
    });
  });

  describe('closing and reopening', () => {
    const change = async (id: number, verb: 'close' | 'reopen', body?: object) => {
      const answered = await post(`/tickets/${id}/${verb}`, body);
      return [answered.status, answered.body.ticket?.status ?? answered.body.error.message];
    };

    it('works without a body or with {}, and closing twice changes nothing (200)', async () => {
      const id = await open();
      expect(await change(id, 'close')).to.deep.equal([200, 'Closed']);
      const before = (await get(`/tickets/${id}`)).text;
      service.clock.advance(1000);
      expect(await change(id, 'close', {})).to.deep.equal([200, 'Closed']);
      expect((await get(`/tickets/${id}`)).text).to.equal(before);
    });

    it('makes a closed ticket Active and leaves an open one unchanged (200)', async () => {
      const id = await open();
      expect(await change(id, 'reopen')).to.deep.equal([200, 'New']);
      await change(id, 'close');
      expect(await change(id, 'reopen')).to.deep.equal([200, 'Active']);
      expect((await post(`/tickets/${id}/reply`, { message: 'Again' })).status).to.equal(201);
    });

    it('is refused for an archived ticket (400 bad_request)', async () => {
      const id = await open();
      await service.models.tickets.setStatus({ id: id, status: 'Archived' }, new Date());
      for (const verb of ['close', 'reopen'] as const)
        expect(await change(id, verb)).to.deep.equal([400, 'The ticket is archived, which is final']);
    });

    it('treats no body and {} as the same request under an idempotency key', async () => {
      const id = await open();
      const headers = { 'Idempotency-Key': `close-${id}` };
      const first = await service.call('POST', `/tickets/${id}/close`, { key, headers });
      const second = await service.call('POST', `/tickets/${id}/close`, { key, headers, body: {} });
      expect([second.status, second.text]).to.deep.equal([200, first.text]);
      expect(second.headers.get('Idempotency-Replayed')).to.equal('true');
    });
  });
});
