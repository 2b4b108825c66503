/** A batch at /trpc is one request, but the limit and the audit count each of its calls. */
import { expect } from 'chai';
import { type Answer, useService } from '../support/service.ts';
import { createRpcClient, rpcFailureOf } from '../support/trpc-client.ts';

describe('a batch at /trpc', () => {
  const service = useService();
  const narrow = useService({ rateLimitPerMinute: 2 });
  let key: string;
  let keyId: string;

  beforeEach(async () => {
    const added = await service.addKey();
    key = added.secret;
    keyId = added.key._id;
  });

  const sendBatch = (count: number, name = 'account.me') =>
    service.callAt('GET', `/trpc/${Array(count).fill(name).join(',')}?batch=1`, { key });

  const left = ({ headers }: Answer) => Number(headers.get('X-RateLimit-Remaining'));
  const auditOf = async () => {
    await service.flushAudit();
    return (await service.models.auditEntries.list({ limit: 1000 })).filter((entry) => entry.keyId === keyId);
  };

  it('counts as many calls as it holds', async () => {
    const first = await sendBatch(3);
    expect(first.status).to.equal(200);
    expect(first.body).to.have.length(3);
    expect(left(first)).to.equal(117);
    expect(left(await sendBatch(50))).to.equal(67);
    const rest = await service.call('GET', '/me', { key });
    expect(left(rest)).to.equal(66);
    expect(rest.headers.get('X-RateLimit-Reset')).to.equal(first.headers.get('X-RateLimit-Reset'));
  });

  it('is refused entirely with 429 rate_limited when it does not fit, and uses up no calls', async () => {
    await sendBatch(50);
    await sendBatch(50);
    const refused = await sendBatch(21);
    expect(refused.status).to.equal(429);
    expect(refused.body.error.data).to.include({ code: 'rate_limited', httpStatus: 429 });
    expect(refused.headers.get('X-RateLimit-Limit')).to.equal('120');
    expect(left(refused)).to.equal(20);
    expect(left(await sendBatch(20))).to.equal(0);
    expect((await sendBatch(1)).status).to.equal(429);
  });

  it('is refused with 400 bad_request when it holds more than 50 calls, makes none and counts as one', async () => {
    const answer = await sendBatch(51);
    expect(answer.status).to.equal(400);
    expect(answer.body.error.message).to.equal('A batch holds at most 50 calls');
    expect(answer.body.error.data.code).to.equal('bad_request');
    expect(left(answer)).to.equal(119);
    expect(await auditOf()).to.have.length(1);
  });

  it('is refused with 401 unauthorized without a key, even when its calls need none', async () => {
    for (const names of ['account.me,tickets.list', 'openapi.document,openapi.document', ','.repeat(60)]) {
      const answer = await service.callAt('GET', `/trpc/${names}?batch=1`);
      expect(answer.status, names).to.equal(401);
      expect(answer.body.error.data.code).to.equal('unauthorized');
    }
    expect((await service.callAt('GET', '/trpc/openapi.document?batch=1')).status).to.equal(200);
  });

  it('is refused with the maximum size when it exceeds the limit of a minute', async () => {
    const client = createRpcClient(narrow.url, { key: (await narrow.addKey()).secret });
    const calls = [1, 2, 3].map(() => rpcFailureOf(client.account.me.query()));
    for (const { message } of await Promise.all(calls))
      expect(message).to.equal('A batch holds at most 2 calls');
  });

  it('counts calls of unknown procedures and of public ones, which are free outside a batch', async () => {
    const answer = await service.callAt('GET', '/trpc/openapi.document,nothing,account.me?batch=1', { key });
    expect(answer.status).to.equal(207);
    expect(left(answer)).to.equal(117);
    const open = await service.callAt('GET', '/trpc/openapi.document', { key });
    expect(open.status).to.equal(200);
    expect(open.headers.has('X-RateLimit-Remaining')).to.equal(false);
  });

  it('has one status when its calls agree, and 207 when they do not', async () => {
    const statusOf = async (names: string) =>
      (await service.callAt('GET', `/trpc/${names}?batch=1`, { key })).status;
    expect(await statusOf('account.me,tickets.list')).to.equal(200);
    expect(await statusOf('nothing,nowhere')).to.equal(404);
    expect(await statusOf('account.me,nowhere')).to.equal(207);
  });

  it('may repeat a call and contain empty names', async () => {
    const answer = await service.callAt('GET', '/trpc/account.me,account.me,,?batch=1', { key });
    const codes = answer.body.map((part: { error?: { data: { code: string } } }) => part.error?.data.code);
    expect(codes).to.deep.equal([undefined, undefined, 'not_found', 'not_found']);
    expect(answer.body[0]).to.deep.equal(answer.body[1]);
  });

  it('stores one audit entry for each call before its answer leaves', async () => {
    const client = createRpcClient(service.url, { key, headers: { 'X-Request-Id': `audit-${keyId}` } });
    const tickets = await Promise.all(
      ['One', 'Two'].map((title) => client.tickets.create.mutate({ title, message: 'Hello' })),
    );
    await rpcFailureOf(client.tickets.reply.mutate({ ticket_id: 999_999, message: 'Hello' }));
    const stored = (await service.models.auditEntries.list({ limit: 1000 })).filter(
      (entry) => entry.keyId === keyId,
    );
    const told = stored.map(({ operation, target, status, code, via, requestId }) => ({
      ...{ operation, target, status, code, via, requestId },
    }));
    const common = { via: 'trpc', requestId: `audit-${keyId}` };
    expect(told).to.have.deep.members([
      ...tickets.map(({ ticket }) => ({
        ...common,
        ...{ operation: 'tickets.create', target: String(ticket.id), status: 201, code: null },
      })),
      { ...common, operation: 'tickets.reply', target: '999999', status: 404, code: 'not_found' },
    ]);
  });

  it('stores an audit entry for unknown procedures and for calls over the limit', async () => {
    await service.callAt('GET', '/trpc/nothing', { key });
    for (const count of [50, 50, 50]) await sendBatch(count);
    const entries = (await auditOf()).filter(({ operation }) => operation === null);
    expect(entries.map(({ status, code }) => ({ status, code }))).to.have.deep.members([
      { status: 404, code: 'not_found' },
      { status: 429, code: 'rate_limited' },
    ]);
  });
});
