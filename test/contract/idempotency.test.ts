/** What is asked for under one Idempotency-Key is done once, for every write and in every protocol. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { isReplay, keyedCallsOf } from '../support/protocol-clients.ts';
import { otherInputOf, sampleInputOf } from '../support/sample-inputs.ts';
import { addSampled, mutationRows, oneOfEachKind } from '../support/samples.ts';
import { useService } from '../support/service.ts';

const usedForAnother = 'The idempotency key was used for another request; use a new one for each request';
const notAKey = 'The idempotency key must be 1 to 255 printable ASCII characters';
const hourMs = 60 * 60 * 1000;

/** Every write over REST, and one of each kind in each other way to send a key. */
const keyedCalls = oneOfEachKind(
  mutationRows.flatMap((row) => Object.entries(keyedCallsOf(row)).map(([way, ask]) => ({ row, way, ask }))),
  ({ row, way }) => [way, way === 'over REST' ? row.name : [row.status, row.hasSecretOutput, row.slot]],
);

describe('Idempotency-Key', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let key: string;
  let restore: () => Promise<void>;

  before(async () => {
    ({ key, restore } = await addSampled(service));
  });
  afterEach(() => restore());

  const ticket = { title: 'Lag', message: 'Since noon.' };
  const open = (idempotencyKey: string, body: unknown = ticket, apiKey = key) =>
    service.call('POST', '/tickets', { key: apiKey, body, headers: { 'Idempotency-Key': idempotencyKey } });
  const power = (idempotencyKey: string, body: unknown = { signal: 'restart' }) => {
    const headers = { 'Idempotency-Key': idempotencyKey };
    return service.call('POST', '/servers/sample/power', { key, body, headers });
  };
  const countTickets = () => service.connection.collection('tickets').countDocuments();

  for (const { row, way, ask } of keyedCalls) {
    const input = sampleInputOf(row);

    it(`${row.name} ${way}: gives the first answer again, to the byte and with its status, and says so`, async () => {
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
    it(`400 bad_request: a key that is none, ${way}`, async () => {
      // To a tool an empty argument is an absent one.
      const empty = way.includes('argument') ? [] : [''];
      for (const idempotencyKey of [...empty, 'x'.repeat(256), 'clé']) {
        const answer = await ask(service, { row, input: sampleInputOf(row), key, idempotencyKey });
        expect(answer.text).to.include('bad_request').and.to.include(notAKey);
      }
    });

  describe('does once what is asked for', () => {
    it('many times at once: one ticket, one answer for all', async () => {
      const before = await countTickets();
      const idempotencyKey = randomUUID();
      const answers = await Promise.all(Array.from({ length: 10 }, () => open(idempotencyKey)));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).to.have.lengthOf(1);
      expect(answers[0]?.status).to.equal(201);
      expect(answers.filter((answer) => !isReplay(answer))).to.have.lengthOf(1);
      expect(await countTickets()).to.equal(before + 1);
    });

    it('in several protocols: one signal', async () => {
      service.panel.forget();
      const row = mutationRows.find(({ name }) => name === 'servers.power');
      if (!row) throw new Error('There is no servers.power');
      const request = { row, input: sampleInputOf(row), key, idempotencyKey: randomUUID() };
      for (const ask of Object.values(keyedCallsOf(row))) await ask(service, request);
      expect(service.panel.signals).to.deep.equal(['sample start']);
    });

    it('whatever the order of its fields', async () => {
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

  describe('is told apart', () => {
    it('by operation: 400 bad_request on another one', async () => {
      const idempotencyKey = randomUUID();
      await open(idempotencyKey);
      expectError(await power(idempotencyKey), 'bad_request', usedForAnother);
    });

    it('by API key, of the same user too', async () => {
      const { user, secret } = await service.addKey();
      const other = await service.addKey({ user });
      const idempotencyKey = randomUUID();
      const answers = [await open(idempotencyKey, ticket, secret)];
      answers.push(await open(idempotencyKey, { ...ticket, title: 'Other' }, other.secret));
      expect(answers.map(({ status }) => status)).to.deep.equal([201, 201]);
      expect(answers.some(isReplay)).to.equal(false);
    });
  });

  describe('is kept 24 hours', () => {
    it('and replays after 23, and not after 25, even before the database has swept', async () => {
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

    it('and swept by the database', async () => {
      const indexes = await service.connection.collection('idempotency_records').indexes();
      const sweep = indexes.find(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
      expect(sweep).to.deep.include({ key: { createdAt: 1 }, expireAfterSeconds: 24 * 60 * 60 });
    });
  });

  it('has an entry in the audit for a replay too', async () => {
    const { user, secret } = await service.addKey();
    const idempotencyKey = randomUUID();
    const { body } = await open(idempotencyKey, ticket, secret);
    await open(idempotencyKey, ticket, secret);
    const entries = await service.models.auditEntries.list({ userId: user._id, limit: 10 });
    const told = entries.map(({ operation, target, status }) => ({ operation, target, status }));
    const entry = { operation: 'tickets.create', target: String(body.ticket.id), status: 201 };
    expect(told).to.deep.equal([entry, entry]);
  });
});
