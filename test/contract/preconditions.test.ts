/** A write with If-Match never overwrites someone else's later change, in every operation that supports it. */
import { expect } from 'chai';
import type { Operation } from '../../bridge/operations.ts';
import { takesIfMatch } from '../../bridge/preconditions.ts';
import { expectError } from '../support/expect-error.ts';
import { otherInputOf, sampleInputOf } from '../support/sample-inputs.ts';
import { addSamples, apiOperations, isUpsert, restRequestOf, sampleOf } from '../support/samples.ts';
import { useService } from '../support/service.ts';

const changedMeanwhile = 'Someone else has changed it since that ETag: read it again, and send the new ETag';

const writes = apiOperations.filter(takesIfMatch);

describe('If-Match', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let key: string;
  let restore: () => Promise<void>;

  before(async () => {
    ({ key, restore } = await addSamples(service));
  });
  beforeEach(() => restore());

  const send = (row: Operation, headers: Record<string, string>, input = sampleInputOf(row)) => {
    const { method, path, body } = restRequestOf(row, input);
    return service.call(method, path, { key, body, headers });
  };
  const get = (row: Operation) => service.call('GET', sampleOf(row).path, { key });
  const etagOf = async (row: Operation) => (await get(row)).headers.get('ETag') ?? '';

  it('is honored by the writes that change games, announcements, webhooks and how servers start', () => {
    expect(writes.map(({ method, path }) => `${method} ${path}`).sort()).to.deep.equal([
      'PATCH /admin/announcements/{announcement_id}',
      'PATCH /admin/webhooks/{webhook_id}',
      'PATCH /servers/{server_identifier}/startup',
      'PATCH /webhooks/{webhook_id}',
      'PUT /admin/games/{slug}',
    ]);
  });

  for (const row of writes) {
    describe(`${row.method} ${row.path}`, () => {
      it("writes over the version that was read, and returns the next read's ETag", async () => {
        const read = await etagOf(row);
        expect(read).to.match(/^"[\w-]{22}"$/);
        const written = await send(row, { 'If-Match': read });
        expect(written.status).to.equal(200);
        expect(written.headers.get('ETag')).to.not.equal(read);
        expect(await etagOf(row)).to.equal(written.headers.get('ETag'));
      });

      it('refuses a write over another version and changes nothing (412 precondition_failed)', async () => {
        const stale = await etagOf(row);
        const written = await send(row, {}, otherInputOf(row));
        expectError(await send(row, { 'If-Match': stale }), 'precondition_failed', changedMeanwhile);
        expect(await etagOf(row)).to.equal(written.headers.get('ETag'));
      });

      it('lets one of several concurrent writes over the same version pass', async () => {
        const read = await etagOf(row);
        const answers = await Promise.all(Array.from({ length: 5 }, () => send(row, { 'If-Match': read })));
        const statuses = answers.map(({ status }) => status).sort();
        expect(statuses).to.deep.equal([200, 412, 412, 412, 412]);
      });

      it('accepts several ETags, any version, and an ETag that a compressing proxy weakened', async () => {
        for (const wrap of [(etag: string) => `"other", ${etag}`, () => '*', (etag: string) => `W/${etag}`]) {
          const written = await send(row, { 'If-Match': wrap(await etagOf(row)) });
          expect(written.status).to.equal(200);
        }
        expect((await send(row, { 'If-Match': '' })).status).to.equal(412);
      });

      it('works with a single tRPC call, but not with a batch', async () => {
        const ask = (path: string, body: object, ifMatch: string) =>
          service.callAt('POST', `/trpc/${path}`, { key, body, headers: { 'If-Match': ifMatch } });
        const input = sampleInputOf(row);
        const read = await etagOf(row);
        const written = await ask(row.name, input, read);
        expect(written.headers.get('ETag')).to.equal(await etagOf(row));
        const refused = await ask(row.name, input, read);
        expect(refused.status).to.equal(412);
        expect(refused.body.error.data.code).to.equal('precondition_failed');
        const batch = await ask(`${row.name},account.me?batch=1`, { 0: input, 1: {} }, read);
        expect(batch.text).to.include('If-Match works with a single call, not with a batch of several');
      });

      it('keeps the first answer to an Idempotency-Key', async () => {
        const headers = { 'If-Match': await etagOf(row), 'Idempotency-Key': `once-${row.name}` };
        const first = await send(row, headers);
        const again = await send(row, headers);
        expect([again.status, again.text]).to.deep.equal([200, first.text]);
        expect(again.headers.get('ETag')).to.equal(first.headers.get('ETag'));
      });
    });
  }

  for (const row of writes.filter(isUpsert))
    it(`refuses ${row.method} ${row.path} of something missing (412 precondition_failed)`, async () => {
      const input = { ...sampleInputOf(row), [row.pathParameters[0] ?? '']: 'not-there' };
      expectError(await send(row, { 'If-Match': '*' }, input), 'precondition_failed', changedMeanwhile);
    });

  it('lets a webhook change although deliveries arrived meanwhile', async () => {
    const row = writes.find(({ path }) => path === '/webhooks/{webhook_id}');
    if (!row) throw new Error('There is no write of webhooks');
    const read = await etagOf(row);
    const lastSuccessAt = new Date(service.clock.now());
    await service.connection.collection('webhooks').updateMany({}, { $set: { lastSuccessAt } });
    expect((await send(row, { 'If-Match': read })).status).to.equal(200);
  });
});
