/** A message to /mcp counts, and appears in the audit, exactly like the same call of the API. */
import { expect } from 'chai';
import type { UserRecord } from '../../models/user.ts';
import { expectMcpError } from '../support/expect-error.ts';
import {
  createSendMessage,
  legacyRequest,
  modernHeaders,
  modernRequest,
  toolCall,
  toolErrorOf,
} from '../support/mcp.ts';
import { addSamples } from '../support/samples.ts';
import { useService } from '../support/service.ts';

const ping = legacyRequest('ping');

describe('the limits of /mcp', () => {
  const service = useService({ rateLimitPerMinute: 5 });
  let user: UserRecord;
  let key: string;

  beforeEach(async () => {
    ({ user, secret: key } = await service.addKey());
  });

  const send = (message: unknown, headers: Record<string, string> = {}) =>
    createSendMessage(service.url)(message, { key, headers });
  const callsLeft = async () => {
    const { headers } = await service.call('GET', '/me', { key });
    return Number(headers.get('X-RateLimit-Remaining'));
  };

  it('count a tool call exactly like one REST call', async () => {
    const { headers } = await send(toolCall('list_games'));
    expect(headers.get('X-RateLimit-Limit')).to.equal('5');
    expect(headers.get('X-RateLimit-Remaining')).to.equal('4');
    expect(await callsLeft()).to.equal(3);
    await send(toolCall('get_game', { slug: 7 }));
    expect(await callsLeft()).to.equal(1);
  });

  it('leave protocol messages, unknown tools and refusals out of the count of calls', async () => {
    await send(ping);
    await send(legacyRequest('initialize', { protocolVersion: '2025-11-25' }));
    await send(legacyRequest('tools/list'));
    await send(modernRequest('server/discover'), modernHeaders('server/discover'));
    await send(toolCall('no_such_tool'));
    await send('not JSON');
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await callsLeft()).to.equal(4);
  });

  it('answer a call over the limit with a rate_limited error result, and accept it after the stated wait', async () => {
    for (let call = 0; call < 5; call += 1) await send(toolCall('list_games'));
    const answer = await send(toolCall('list_games'));
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.include({ jsonrpc: '2.0', id: 1 });
    expect(answer.body.result.isError).to.equal(true);
    expect((await send(ping)).body.result, 'a protocol message').to.deep.equal({});
    const { code, message } = toolErrorOf(answer).error;
    expect(code).to.equal('rate_limited');
    const [, seconds] = /^Rate limit exceeded, retry in (\d+) s$/.exec(message) ?? [];
    service.clock.advance(Number(seconds) * 1000);
    expect((await send(toolCall('list_games'))).body.result.isError).to.equal(undefined);
  });

  it('refuse a whole batch with 429 rate_limited when its calls do not fit', async () => {
    const answer = await send(Array.from({ length: 6 }, (_, id) => toolCall('list_games', {}, id)));
    expect(answer.status).to.equal(429);
    expect(answer.body.error.data.code).to.equal('rate_limited');
    expect(await callsLeft()).to.equal(4);
  });

  it('refuse the 601st protocol message of a minute with 429 rate_limited and still accept calls', async () => {
    const batch = Array(50).fill(ping);
    for (let count = 0; count < 11; count += 1) expect((await send(batch)).status).to.equal(200);
    for (let count = 0; count < 10; count += 1) {
      expect((await send(ping)).status).to.equal(200);
      expect((await send(toolCall('no_such_tool'))).status).to.equal(200);
      expect((await send('not JSON')).status).to.equal(400);
      expect((await fetch(`${service.url}/mcp`, { headers: { 'X-API-Key': key } })).status).to.equal(405);
      expect((await send(modernRequest('ping'), modernHeaders('ping'))).status).to.equal(404);
    }
    const answer = await send(ping);
    const seconds = Number(answer.headers.get('Retry-After'));
    expect(seconds).to.be.within(1, 61); // a minute and the rest of a second
    expectMcpError(answer, 'rate_limited', `Rate limit exceeded, retry in ${seconds} s`);
    expect((await send(toolCall('list_games'))).body.result.isError).to.equal(undefined);
    service.clock.advance(seconds * 1000);
    expect((await send(ping)).status).to.equal(200);
  });

  it('count the messages of all keys of a user together, and each user separately', async () => {
    const batch = Array(50).fill(ping);
    for (let count = 0; count < 12; count += 1) await send(batch);
    const pingWith = async (secret: string) =>
      (await createSendMessage(service.url)(ping, { key: secret })).status;
    expect(await pingWith((await service.addKey({ user })).secret)).to.equal(429);
    expect(await pingWith((await service.addKey()).secret)).to.equal(200);
  });
});

describe('the audit of /mcp', () => {
  const service = useService({ rateLimitPerMinute: 2, config: { trustProxy: true } });
  let key: string;
  let keyId: string;
  let userId: number;

  before(() => addSamples(service));
  beforeEach(async () => {
    const { user, secret, key: record } = await service.addKey();
    [key, keyId, userId] = [secret, record._id, user._id];
  });

  const send = (message: unknown, headers: Record<string, string> = {}) =>
    createSendMessage(service.url)(message, { key, headers });
  const entries = async () => {
    await service.flushAudit();
    const found = await service.models.auditEntries.list({ userId, limit: 10 });
    return found.map(({ at: _, ...entry }) => entry);
  };

  it("has a line for a tool call with its protocol, its address and the request's id", async () => {
    const headers = { 'X-Request-Id': 'agent-1', 'X-Forwarded-For': '203.0.113.7' };
    const { headers: answered } = await send(toolCall('get_game', { slug: 'sample' }), headers);
    expect(answered.get('X-Request-Id')).to.equal('agent-1');
    expect(await entries()).to.deep.equal([
      {
        ...{ operation: 'catalog.getGame', target: 'sample', status: 200, code: null },
        ...{ via: 'mcp', address: '203.0.113.7', requestId: 'agent-1', userId, keyId },
      },
    ]);
  });

  it('stores the line of a write before the answer leaves', async () => {
    const { body } = await send(toolCall('create_ticket', { title: 'Lag', message: 'It lags' }));
    const [entry] = await service.models.auditEntries.list({ userId, limit: 1 });
    const target = String(body.result.structuredContent.ticket.id);
    expect(entry).to.include({ operation: 'tickets.create', target, status: 201, via: 'mcp' });
  });

  it('has a line for a call over the limit, and for a revoked key', async () => {
    for (let call = 0; call < 3; call += 1) await send(toolCall('list_games'));
    const limited = (await entries()).filter(({ status }) => status === 429);
    expect(limited).to.have.length(1);
    expect(limited[0]).to.include({ code: 'rate_limited', via: 'mcp', operation: null });
    await service.models.apiKeys.revoke(keyId, new Date());
    await send(ping);
    expect((await entries()).filter(({ status }) => status === 401)).to.have.length(1);
  });

  it('has no line for protocol messages', async () => {
    for (const message of [ping, legacyRequest('tools/list'), toolCall('no_such_tool')]) await send(message);
    expect(await entries()).to.deep.equal([]);
  });
});
