/** Tickets over REST: only their owner opens, answers and lists them. */
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { type Answer, startTestService, useService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

interface StoredTicket {
  _id: number;
  userId: number;
  status: string;
  messages: { userId: number; keyId: string; text: string; createdAt: Date }[];
  messageBytes: number;
}

describe('tickets', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  const startAnother = () =>
    startTestService({ rateLimitPerMinute: 1_000_000, databaseUri: service.databaseUri });
  const others = [useStarted(startAnother), useStarted(startAnother)];

  beforeEach(async () => {
    await service.connection.collection('tickets').deleteMany({});
    await service.connection.collection<{ _id: string }>('sequences').deleteOne({ _id: 'ticket' });
  });

  const open = (key: string, body: object = {}) =>
    service.call('POST', '/tickets', { key, body: { title: 'Lag', message: 'Since noon.', ...body } });
  const reply = (key: string, id: number, message = 'It is over.') =>
    service.call('POST', `/tickets/${id}/reply`, { key, body: { message } });
  const countOf = (answers: Answer[], wanted: number) =>
    answers.filter(({ status }) => status === wanted).length;
  const stored = async (id: number) =>
    service.connection.collection<StoredTicket>('tickets').findOne({ _id: id }) as Promise<StoredTicket>;

  describe('POST /tickets', () => {
    it('creates a New ticket and returns only its id and subject (201)', async () => {
      const { secret } = await service.addKey();
      const answer = await open(secret);
      expect(answer.status).to.equal(201);
      expect(answer.body).to.deep.equal({ ticket: { id: 1, subject: 'Lag', status: 'New' } });
    });

    it('stores owner, key, message and the service concerned, and treats null as omitted', async () => {
      const { user, key, secret } = await service.addKey();
      await open(secret, { service_name: 'Survival', service_reference: null });
      const { messages, ...ticket } = await stored(1);
      expect(ticket).to.deep.include({
        ...{ userId: user._id, subject: 'Lag', status: 'New' },
        ...{ serviceName: 'Survival', serviceReference: null, serviceType: null },
      });
      expect(messages).to.have.lengthOf(1);
      expect(messages[0]).to.deep.include({ userId: user._id, keyId: key._id, text: 'Since noon.' });
    });

    it('accepts subject for title, and both when they are equal', async () => {
      const { secret } = await service.addKey();
      for (const body of [{ title: undefined, subject: 'Lag' }, { subject: 'Lag' }]) {
        const answer = await open(secret, body);
        expect(answer.status).to.equal(201);
        expect(answer.body.ticket.subject).to.equal('Lag');
      }
    });

    const refused: [what: string, body: object, message: string][] = [
      [
        'title and subject that differ',
        { subject: 'Other' },
        'subject must be the same as title when both are given',
      ],
      ['a ticket with neither title nor subject', { title: undefined }, 'title is required'],
      ['a ticket without a message', { message: undefined }, 'message is required'],
      ['an empty ticket', { title: undefined, message: undefined }, 'message is required; title is required'],
    ];
    for (const [what, body, message] of refused)
      it(`rejects ${what} (400 bad_request)`, async () => {
        const { secret } = await service.addKey();
        expectError(await open(secret, body), 'bad_request', message);
      });

    it('numbers tickets 1, 2, 3 across users without using a number for a refused one', async () => {
      const [mine, yours] = [await service.addKey(), await service.addKey()];
      const ids = [];
      for (const { secret } of [mine, yours, mine]) {
        await open(secret, { message: ' ' });
        await open(secret, { title: 'x'.repeat(201) });
        ids.push((await open(secret)).body.ticket.id);
      }
      expect(ids).to.deep.equal([1, 2, 3]);
    });

    it('refuses more than 100 open tickets, even when many are opened or reopened at once (400 bad_request)', async () => {
      const { secret } = await service.addKey();
      const closed = (await open(secret)).body.ticket.id;
      await service.call('POST', `/tickets/${closed}/close`, { key: secret });
      const opened = await Promise.all(Array.from({ length: 102 }, () => open(secret)));
      expect(countOf(opened, 201)).to.equal(100);
      const message = 'You have 100 open tickets, the maximum; close one first';
      expectError(await open(secret), 'bad_request', message);
      const reopen = () => service.call('POST', `/tickets/${closed}/reopen`, { key: secret });
      expectError(await reopen(), 'bad_request', message);
      expect((await open((await service.addKey()).secret)).status).to.equal(201);
      await service.models.tickets.setStatus({ id: closed + 1, status: 'Closed' }, new Date());
      const closedOnes = [closed, closed + 1].map((id) => `/tickets/${id}/reopen`);
      const reopened = await Promise.all(
        closedOnes.map((path) => service.call('POST', path, { key: secret })),
      );
      expect(countOf(reopened, 200)).to.equal(1);
    });

    it('refuses more than 100 open tickets, whichever processes open and reopen them at once (400 bad_request)', async () => {
      const { user, secret } = await service.addKey();
      const tickets = await Promise.all(Array.from({ length: 96 }, () => open(secret)));
      const closed = tickets.slice(0, 6).map(({ body }) => `/tickets/${body.ticket.id}`);
      await Promise.all(closed.map((path) => service.call('POST', `${path}/close`, { key: secret })));
      const processes = [service, ...others];
      const body = { title: 'Lag', message: 'Since noon.' };
      const openings = processes.flatMap(({ call }) =>
        Array.from({ length: 8 }, () => call('POST', '/tickets', { key: secret, body })),
      );
      const reopenings = closed.map((path, index) =>
        processes[index % processes.length]?.call('POST', `${path}/reopen`, { key: secret }),
      );
      const statuses = (await Promise.all([...openings, ...reopenings])).map((answer) => answer?.status);
      const ofOwner = { userId: user._id, status: { $in: ['New', 'Active'] } };
      expect(await service.connection.collection('tickets').countDocuments(ofOwner)).to.equal(100);
      expect(statuses.filter((status) => status === 200 || status === 201)).to.have.lengthOf(10);
      expect(statuses.filter((status) => status === 400)).to.have.lengthOf(20);
    });
  });

  describe('POST /tickets/{ticket_id}/reply', () => {
    it('makes the ticket Active and keeps replies in order with their author and key (201)', async () => {
      const { user, secret } = await service.addKey();
      const other = await service.addKey({ user });
      await open(secret);
      const answer = await reply(other.secret, 1, 'One');
      expect([answer.status, answer.body]).to.deep.equal([201, { ticket_id: 1, status: 'Active' }]);
      await reply(secret, 1, 'Two');
      const { messages, messageBytes } = await stored(1);
      expect(messages.map(({ text }) => text)).to.deep.equal(['Since noon.', 'One', 'Two']);
      expect(messages[1]).to.deep.include({ userId: user._id, keyId: other.key._id });
      expect(messageBytes).to.equal(Buffer.byteLength('Since noon.OneTwo'));
    });

    for (const status of ['Closed', 'Archived'] as const)
      it(`leaves a ticket ${status} and refuses a reply to it (400 bad_request)`, async () => {
        const { secret } = await service.addKey();
        await open(secret);
        await service.models.tickets.setStatus({ id: 1, status }, new Date());
        const message = 'The ticket is closed or archived and takes no replies';
        expectError(await reply(secret, 1), 'bad_request', message);
        const ticket = await stored(1);
        expect(ticket.status).to.equal(status);
        expect(ticket.messages).to.have.lengthOf(1);
      });

    it('refuses a ticket that holds 512 KiB from its customer, in UTF-8 bytes (400 bad_request)', async () => {
      const { secret } = await service.addKey();
      const message = '\u{1F44D}'.repeat(5000);
      await open(secret, { message });
      for (let bytes = 40_000; bytes <= 512 * 1024; bytes += 20_000)
        expect((await reply(secret, 1, message)).status).to.equal(201);
      expectError(await reply(secret, 1, message), 'bad_request', 'The ticket is full; open a new one');
      expect((await reply(secret, 1, 'x'.repeat(512 * 1024 - 520_000))).status).to.equal(201);
      expectError(await reply(secret, 1, 'x'), 'bad_request', 'The ticket is full; open a new one');
    });
  });

  describe('GET /tickets', () => {
    it('lists own tickets, newest first, with state and times but without messages (200)', async () => {
      const [mine, yours] = [await service.addKey(), await service.addKey()];
      for (const { secret } of [mine, yours, mine]) await open(secret);
      const openedAt = service.clock.now();
      service.clock.advance(60_000);
      await reply(mine.secret, 1);
      const { body }: Answer = await service.call('GET', '/tickets', { key: mine.secret });
      expect(
        body.tickets.map(({ id, status }: { id: number; status: string }) => [id, status]),
      ).to.deep.equal([
        [3, 'New'],
        [1, 'Active'],
      ]);
      for (const ticket of body.tickets) {
        expect(Object.keys(ticket)).to.deep.equal(['id', 'subject', 'status', 'created_at', 'updated_at']);
        expect(Date.parse(ticket.created_at)).to.be.closeTo(openedAt, 5000);
        expect(ticket.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      }
      const [newest, replied] = body.tickets;
      expect(newest.updated_at).to.equal(newest.created_at);
      expect(Date.parse(replied.updated_at) - Date.parse(replied.created_at)).to.be.at.least(60_000);
    });
  });
});

describe('POST /tickets with TICKETS_PER_DAY=3', () => {
  const service = useService({ config: { ticketsPerDay: 3 } });

  it("refuses a customer's fourth ticket in 24 hours without counting refused ones (429 rate_limited)", async () => {
    const [mine, yours] = [await service.addKey(), await service.addKey()];
    const open = ({ secret: key }: { secret: string }, title = 'Lag') =>
      service.call('POST', '/tickets', { key, body: { title, message: 'Since noon.' } });
    for (const title of ['One', '', 'Two', 'Three']) await open(mine, title);
    const refused = await open(mine);
    expectError(refused, 'rate_limited', 'Too many new tickets; try again in 1440 min');
    expect(Number(refused.headers.get('retry-after'))).to.be.within(86_000, 86_401);
    expect((await open(yours)).status).to.equal(201);
    service.clock.advance(24 * 60 * 60 * 1000 + 1000);
    expect((await open(mine)).status).to.equal(201);
  });

  it('accepts the full number after failed tries, and repeats the last one under its Idempotency-Key (201)', async () => {
    const { secret: key } = await service.addKey();
    const open = (idempotencyKey: string) => {
      const headers = { 'Idempotency-Key': idempotencyKey };
      return service.call('POST', '/tickets', { key, headers, body: { title: 'Lag', message: 'Now.' } });
    };
    const refuseTickets = (isRefused: boolean) =>
      service.connection.db?.command({
        ...{ collMod: 'tickets', validator: isRefused ? { $expr: false } : {} },
      });
    await refuseTickets(true);
    for (const each of ['a', 'b', 'c', 'd']) expect((await open(each)).status).to.equal(500);
    await refuseTickets(false);
    const opened = [await open('a'), await open('b'), await open('c')];
    expect(opened.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
    expectError(await open('d'), 'rate_limited', 'Too many new tickets; try again in 1440 min');
    // Left by a process that dies before it answers.
    const records = service.connection.collection('idempotency_records');
    await records.updateMany({}, { $set: { answer: null, leaseEndsAt: new Date(0) } });
    const repeated = await open('c');
    expect([repeated.status, repeated.body]).to.deep.equal([201, opened[2]?.body]);
  });
});
