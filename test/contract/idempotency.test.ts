/**
 * Every write under one Idempotency-Key runs once, in every protocol. Stored answers include each failure with an open outcome,
 * and never a refusal.
 */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { isReplay, keyedCallsOf } from '../support/protocol-clients.ts';
import { otherInputOf, sampleInputOf } from '../support/sample-inputs.ts';
import { addSamples, mutations, oneOfEachKind, sampleOf } from '../support/samples.ts';
import { startTestService, useService } from '../support/service.ts';

const usedForAnother = 'The idempotency key was used for another request; use a new one for each request';
const notAKey = 'The idempotency key must be 1 to 255 printable ASCII characters';
const hourMs = 60 * 60 * 1000;

/** Every write over REST, and one of each kind in every other way to send a key. */
const keyedCalls = oneOfEachKind(
  mutations.flatMap((row) => Object.entries(keyedCallsOf(row)).map(([way, ask]) => ({ row, way, ask }))),
  ({ row, way }) => [way, way === 'over REST' ? row.name : [row.status, row.hasSecretOutput, row.slot]],
);

describe('Idempotency-Key', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let key: string;
  let restore: () => Promise<void>;

  before(async () => {
    ({ key, restore } = await addSamples(service));
  });
  afterEach(() => restore());

  const ticket = { title: 'Lag', message: 'Since noon.' };
  const open = (idempotencyKey: string, body: unknown = ticket, apiKey = key) =>
    service.call('POST', '/tickets', { key: apiKey, body, headers: { 'Idempotency-Key': idempotencyKey } });
  const power = (idempotencyKey: string, body: unknown = { signal: 'restart' }) => {
    const headers = { 'Idempotency-Key': idempotencyKey };
    return service.call('POST', '/servers/sample/power', { key, body, headers });
  };
  const countKept = () => service.connection.collection('idempotency_records').countDocuments();
  const countTickets = () => service.connection.collection('tickets').countDocuments();

  for (const { row, way, ask } of keyedCalls) {
    const input = sampleInputOf(row);

    it(`replays the first answer and status of ${row.name} ${way} to the byte, and says so`, async () => {
      const request = { row, input, key, idempotencyKey: randomUUID() };
      const first = await ask(service, request);
      const second = await ask(service, request);
      expect(first.text).to.not.include('error');
      expect(isReplay(first)).to.equal(false);
      expect(isReplay(second)).to.equal(true);
      expect([second.status, second.text]).to.deep.equal([first.status, first.text]);
      const other = { ...request, input: otherInputOf(row) };
      const refused = await ask(service, other);
      expect(refused.text).to.include('bad_request').and.to.include(usedForAnother);
      expect(isReplay(refused)).to.equal(false);
    });
  }

  for (const { row, way, ask } of oneOfEachKind(keyedCalls, ({ way }) => way))
    it(`is refused ${way} when malformed (400 bad_request)`, async () => {
      // A tool treats an empty argument as an absent one.
      const empty = way.includes('argument') ? [] : [''];
      for (const idempotencyKey of [...empty, 'x'.repeat(256), 'clé']) {
        const answer = await ask(service, { row, input: sampleInputOf(row), key, idempotencyKey });
        expect(answer.text).to.include('bad_request').and.to.include(notAKey);
      }
    });

  describe('runs a write once', () => {
    it('for many concurrent calls: one ticket, one answer for all', async () => {
      const before = await countTickets();
      const idempotencyKey = randomUUID();
      const answers = await Promise.all(Array.from({ length: 10 }, () => open(idempotencyKey)));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).to.have.lengthOf(1);
      expect(answers[0]?.status).to.equal(201);
      expect(answers.filter((answer) => !isReplay(answer))).to.have.lengthOf(1);
      expect(await countTickets()).to.equal(before + 1);
    });

    it('across protocols: one signal', async () => {
      service.panel.forget();
      const row = mutations.find(({ name }) => name === 'servers.power');
      if (!row) throw new Error('There is no servers.power');
      const request = { row, input: sampleInputOf(row), key, idempotencyKey: randomUUID() };
      for (const ask of Object.values(keyedCallsOf(row))) await ask(service, request);
      expect(service.panel.signals).to.deep.equal(['sample start']);
    });

    it('in whatever order its fields come', async () => {
      const idempotencyKey = randomUUID();
      const first = await open(idempotencyKey, { title: 'Lag', message: 'Since noon.' });
      const second = await open(idempotencyKey, { message: 'Since noon.', title: 'Lag' });
      expect(second.body).to.deep.equal(first.body);
    });

    it('with a key of 255 characters', async () => {
      const first = await open('~'.repeat(255));
      expect((await open('~'.repeat(255))).body).to.deep.equal(first.body);
    });
  });

  describe('keeps responses', () => {
    const keyless = useService({ config: { hasWebhooks: false } });
    const body = { title: 'Known to its customer', message: 'Since noon.' };
    const headers = { 'Idempotency-Key': 'kept' };

    it('encrypted with a SECRETS_KEY', async () => {
      expect((await open('kept', body)).body.ticket.subject).to.equal(body.title);
      const kept = await service.connection.collection('idempotency_records').find().toArray();
      expect(JSON.stringify(kept)).to.not.include(body.title);
    });

    it('without a SECRETS_KEY, too', async () => {
      const { secret } = await keyless.addKey();
      const send = () => keyless.call('POST', '/tickets', { key: secret, body, headers });
      const first = await send();
      const second = await send();
      expect([second.status, second.text, isReplay(second)]).to.deep.equal([201, first.text, true]);
    });
  });

  describe('is bound', () => {
    it('to an operation, and refused for another one (400 bad_request)', async () => {
      const idempotencyKey = randomUUID();
      await open(idempotencyKey);
      expectError(await power(idempotencyKey), 'bad_request', usedForAnother);
    });

    it('to an API key, even among keys of the same user', async () => {
      const { user, secret } = await service.addKey();
      const other = await service.addKey({ user });
      const idempotencyKey = randomUUID();
      const answers = [await open(idempotencyKey, ticket, secret)];
      answers.push(await open(idempotencyKey, { ...ticket, title: 'Other' }, other.secret));
      expect(answers.map(({ status }) => status)).to.deep.equal([201, 201]);
      expect(answers.some(isReplay)).to.equal(false);
    });
  });

  describe('stores nothing', () => {
    it('for a refused request, which succeeds under the same key once corrected', async () => {
      const { user } = await service.addKey();
      const { secret: readOnly } = await service.addKey({ user, scopes: ['read:account'] });
      const before = await countKept();
      const idempotencyKey = randomUUID();
      const headers = { 'Idempotency-Key': idempotencyKey };
      const reply = { key, body: { message: 'Hello?' }, headers };
      const refused = [
        await open(idempotencyKey, { title: 'Lag' }),
        await open(idempotencyKey, 'no JSON'),
        await open(idempotencyKey, ticket, readOnly),
        await service.call('POST', '/tickets/999999/reply', reply),
        await service.call('POST', '/tickets', { body: ticket, headers }),
      ];
      expect(refused.map(({ status }) => status)).to.deep.equal([400, 400, 403, 404, 401]);
      expect(await countKept()).to.equal(before);
      const mended = await open(idempotencyKey);
      expect([mended.status, isReplay(mended)]).to.deep.equal([201, false]);
    });

    it('for a call over the limit (429 rate_limited)', async () => {
      const narrow = await startTestService({ rateLimitPerMinute: 1 });
      const { secret } = await narrow.addKey();
      await narrow.call('GET', '/me', { key: secret });
      const headers = { 'Idempotency-Key': randomUUID() };
      const { status } = await narrow.call('POST', '/tickets', { key: secret, body: ticket, headers });
      const kept = await narrow.connection.collection('idempotency_records').countDocuments();
      await narrow.stop();
      expect([status, kept]).to.deep.equal([429, 0]);
    });

    it('for a read, which ignores it (200)', async () => {
      const before = await countKept();
      const headers = { 'Idempotency-Key': randomUUID() };
      const answers = [];
      for (const path of ['/me', '/me']) answers.push(await service.call('GET', path, { key, headers }));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      expect(answers.some(isReplay)).to.equal(false);
      expect(await countKept()).to.equal(before);
    });

    it('for a write without the header', async () => {
      const before = await countKept();
      await service.call('POST', '/tickets', { key, body: ticket });
      expect(await countKept()).to.equal(before);
    });
  });

  describe('with a failing panel', () => {
    beforeEach(async () => {
      service.panel.recover();
      service.panel.forget();
      service.clock.advance(60_000);
      await service.call('GET', '/servers', { key }); // So that the panel refuses the signal.
    });

    it('replays a failure whose outcome is open (502)', async () => {
      const idempotencyKey = randomUUID();
      service.panel.respondNext('reset');
      const first = await power(idempotencyKey);
      const second = await power(idempotencyKey);
      expectError(first, 'upstream_error', first.body.error.message);
      expect(first.body.error.message).to.include('may or may not have been carried out');
      expect([second.status, second.text, isReplay(second)]).to.deep.equal([502, first.text, true]);
      expect(service.panel.signals).to.deep.equal([]);
    });

    it('stores late what it could not store at first, so that a signal is not resent (202)', async () => {
      const idempotencyKey = randomUUID();
      await service.connection.db?.command({ collMod: 'idempotency_records', validator: { answer: null } });
      const first = await power(idempotencyKey);
      await service.connection.db?.command({ collMod: 'idempotency_records', validator: {} });
      const second = await power(idempotencyKey);
      expect([first.status, second.status, second.text]).to.deep.equal([202, 202, first.text]);
      expect(isReplay(second)).to.equal(true);
      expect(service.panel.signals).to.deep.equal(['sample restart']);
    });

    it('retries after a refusal, when nothing was done (502)', async () => {
      const idempotencyKey = randomUUID();
      service.panel.respondNext({ status: 429, headers: { 'Retry-After': '1' } });
      expect((await power(idempotencyKey)).status).to.equal(502);
      service.clock.advance(2000);
      const again = await power(idempotencyKey);
      expect([again.status, isReplay(again)]).to.deep.equal([202, false]);
      expect(service.panel.signals).to.deep.equal(['sample restart']);
    });

    it('makes a duplicate wait five seconds for the first call, then asks it to retry later (409 conflict)', async () => {
      const idempotencyKey = randomUUID();
      const panel = new EventEmitter();
      service.panel.respondNext({ after: once(panel, 'free') });
      const first = power(idempotencyKey);
      while (service.panel.requests.length < 2) await setTimeout(5);
      const second = power(idempotencyKey);
      const passing = setInterval(() => service.clock.advance(1000), 20);
      await second;
      clearInterval(passing);
      const message = 'The first request with this idempotency key is still in progress; try again';
      expectError(await second, 'conflict', message);
      expect((await second).headers.get('Retry-After')).to.equal('1');
      panel.emit('free');
      expect((await first).status).to.equal(202);
      expect(isReplay(await power(idempotencyKey))).to.equal(true);
      expect(service.panel.signals).to.deep.equal(['sample restart']);
    });
  });

  describe('after a process died before it stored its outcome', () => {
    const records = () =>
      service.connection.collection<{ _id: string; answer: string | null }>('idempotency_records');
    /** Collections that change with every call, or on their own. */
    const ownRecords =
      'api_keys activity_counts audit_entries file_leases idempotency_records sequences webhook_state'.split(
        ' ',
      );
    const stored = () =>
      Promise.all(
        Object.values(service.connection.models)
          .map(({ collection }) => collection.collectionName)
          .filter((name) => !ownRecords.includes(name))
          .map((name) => service.connection.collection(name).find().toArray()),
      );

    /** The ticket itself stores the write ids of these. */
    const namedInTickets = ['tickets.create', 'tickets.reply', 'admin.answerTicket'];

    // Panel calls may be repeated, so writes at the panel are left out.
    for (const row of mutations.filter(({ refusals }) => !refusals?.upstream_error))
      it(`returns the lost response of ${row.name} and overwrites no later change`, async () => {
        const { method, path, body } = sampleOf(row);
        const idempotencyKey = randomUUID();
        const request = { key, body, headers: { 'Idempotency-Key': idempotencyKey } };
        const lost = await service.call(method, path, request);
        await records().updateOne({ _id: new RegExp(`:${idempotencyKey}$`) }, { $set: { answer: null } });
        if (!namedInTickets.includes(row.name)) await restore();
        const before = await stored();
        service.clock.advance(60_000);
        const again = await service.call(method, path, request);
        expect([again.status, again.text]).to.deep.equal([row.status, lost.text]);
        expect(await stored()).to.deep.equal(before);
      });

    it('returns the lost response of tickets.create even if the ticket was closed since', async () => {
      const idempotencyKey = randomUUID();
      const lost = await open(idempotencyKey);
      await records().updateOne({ _id: new RegExp(`:${idempotencyKey}$`) }, { $set: { answer: null } });
      await service.call('POST', `/tickets/${lost.body.ticket.id}/close`, { key });
      service.clock.advance(60_000);
      expect((await open(idempotencyKey)).text).to.equal(lost.text);
    });

    for (const row of mutations.filter(({ refusals }) => !refusals?.upstream_error))
      it(`runs ${row.name} once or not at all when its response cannot be stored`, async () => {
        const { method, path, body } = sampleOf(row);
        const request = { key, body, headers: { 'Idempotency-Key': randomUUID() } };
        const before = await stored();
        const unclaimed = { answer: null, made: { $exists: false } };
        await service.connection.db?.command({ collMod: 'idempotency_records', validator: unclaimed });
        const first = await service.call(method, path, request);
        await service.connection.db?.command({ collMod: 'idempotency_records', validator: {} });
        const isMade = first.status === row.status;
        expect(isMade).to.equal(namedInTickets.includes(row.name));
        if (!isMade) expect(await stored()).to.deep.equal(before);
        service.clock.advance(60_000);
        const again = await service.call(method, path, request);
        expect(again.status, again.text).to.equal(row.status);
        if (isMade) expect(again.text).to.equal(first.text);
      });
  });

  it('stores no internal error, so that a retry succeeds and is then replayed (500)', async () => {
    const { user, secret } = await service.addKey();
    const idempotencyKey = randomUUID();
    const tickets = service.connection.collection('tickets');
    await service.connection.db?.command({ collMod: 'tickets', validator: { nothing: 'fits' } });
    const first = await open(idempotencyKey, ticket, secret);
    await service.connection.db?.command({ collMod: 'tickets', validator: {} });
    const second = await open(idempotencyKey, ticket, secret);
    const third = await open(idempotencyKey, ticket, secret);
    expectError(first, 'internal_error', 'Internal error');
    expect([second.status, isReplay(second)]).to.deep.equal([201, false]);
    expect([third.status, third.body, isReplay(third)]).to.deep.equal([201, second.body, true]);
    expect(await tickets.countDocuments({ userId: user._id })).to.equal(1);
  });

  describe('is kept for 24 hours', () => {
    it('and replays after 23 but not after 25, even before the database cleanup', async () => {
      const idempotencyKey = randomUUID();
      const first = await open(idempotencyKey);
      service.clock.advance(23 * hourMs);
      expect((await open(idempotencyKey)).body).to.deep.equal(first.body);
      service.clock.advance(2 * hourMs);
      const fresh = await open(idempotencyKey);
      expect(fresh.status).to.equal(201);
      expect(isReplay(fresh)).to.equal(false);
      expect(fresh.body.ticket.id).to.be.greaterThan(first.body.ticket.id);
    });

    it('and then deleted by the database', async () => {
      const indexes = await service.connection.collection('idempotency_records').indexes();
      const sweep = indexes.find(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
      expect(sweep).to.deep.include({ key: { createdAt: 1 }, expireAfterSeconds: 24 * 60 * 60 });
    });
  });
});
