/** Tracing with OpenTelemetry: traces of the real program at a real collector, from the caller to the panel. */
import { expect } from 'chai';
import { scopes } from '../../routers/scopes.ts';
import { panelServer } from '../../server/panel/demo/attributes.ts';
import { createSendMessage, toolCall } from '../support/mcp.ts';
import { openTestModels, type TestModels } from '../support/models.ts';
import { startProgram } from '../support/program.ts';
import { type StandInPanel, startStandInPanel } from '../support/stand-in-panel.ts';
import { startTraceReceiver, type TraceReceiver } from '../support/trace-receiver.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpanId = 'b7ad6b7169203331';

interface Sent {
  headers?: object;
  body?: object;
  to?: { url: string };
}

describe('tracing', () => {
  let database: TestModels;
  let panel: StandInPanel;
  let collector: TraceReceiver;
  let program: Awaited<ReturnType<typeof startProgram>>;
  let settings: Record<string, string>;
  let key: string;

  before(async () => {
    [database, panel, collector] = await Promise.all([
      openTestModels(),
      startStandInPanel(),
      startTraceReceiver(),
    ]);
    settings = {
      ...{ MONGODB_URI: database.databaseUri, PANEL_URL: panel.url },
      ...{ PANEL_APPLICATION_KEY: panel.applicationKey, PANEL_CLIENT_KEY: panel.clientKey },
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
    program = await startProgram({ ...settings, TRUST_PROXY: 'true' });
    const profile = { email: 'ada@example.com', password: 'correct horse', panelUserId: 7 };
    const user = await database.models.users.add(profile, new Date());
    const newKey = { userId: user?._id ?? 0, name: 'test', scopes, expiresAt: null };
    key = (await database.models.apiKeys.issue(newKey, new Date())).secret;
    panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4' })]);
  });
  after(async () => {
    await program.stop();
    await collector.stop();
    await panel.stop();
    await database.stop();
  });

  async function send(path: string, { headers = {}, body, to = program }: Sent = {}) {
    const response = await fetch(to.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, requestId: response.headers.get('X-Request-Id') ?? '' };
  }

  it('traces a REST call with its operation, status and MongoDB commands', async () => {
    const body = { title: 'Lag', message: 'a private message' };
    const { status, requestId } = await send('/api/v1/tickets', { body });
    expect(status).to.equal(201);
    const { root, others } = await collector.trace(requestId);
    expect(root).to.include({ name: 'tickets.create', kind: 2 });
    expect(root.attributes).to.deep.include({
      'service.name': 'gamehost',
      'http.request.method': 'POST',
      'http.response.status_code': 201,
      'gamehost.operations': ['tickets.create'],
      'gamehost.protocol': 'rest',
      'gamehost.request_id': requestId,
    });
    const operation = others.find(({ name }) => name === 'tickets.create');
    expect(operation).to.include({ kind: 1, parentSpanId: root.spanId });
    const insert = others.find(({ name }) => name === 'insert tickets');
    expect(insert).to.include({ kind: 3, parentSpanId: operation?.spanId });
    expect(insert?.attributes).to.deep.include({
      'db.system.name': 'mongodb',
      'db.operation.name': 'insert',
      'db.collection.name': 'tickets',
    });
  });

  it('traces each call of a tRPC batch', async () => {
    const { requestId } = await send('/trpc/account.me,subscriptions.list?batch=1');
    const { root, others } = await collector.trace(requestId);
    expect(root.name).to.equal('trpc batch');
    expect(root.attributes['gamehost.protocol']).to.equal('trpc');
    expect(root.attributes['gamehost.operations']).to.have.members(['account.me', 'subscriptions.list']);
    const operations = others.filter(({ kind }) => kind === 1);
    expect(operations.map(({ name }) => name)).to.have.members(['account.me', 'subscriptions.list']);
    expect(operations.map(({ parentSpanId }) => parentSpanId)).to.deep.equal([root.spanId, root.spanId]);
  });

  it('traces a tool call over MCP', async () => {
    const { headers } = await createSendMessage(program.url)(toolCall('get_my_profile'), { key });
    const { root } = await collector.trace(headers.get('X-Request-Id') ?? '');
    expect(root.name).to.equal('account.me');
    expect(root.attributes['gamehost.protocol']).to.equal('mcp');
  });

  it('propagates traceparent from the caller to the panel', async () => {
    panel.forget();
    const traceparent = `00-${traceId}-${callerSpanId}-01`;
    const power = { headers: { traceparent }, body: { signal: 'restart' } };
    const { status, requestId } = await send('/api/v1/servers/a1b2c3d4/power', power);
    expect(status).to.equal(202);
    const { root, others } = await collector.trace(requestId);
    expect(root).to.include({ name: 'servers.power', traceId, parentSpanId: callerSpanId });
    const calls = others.filter(({ name }) => name.startsWith('panel'));
    expect(calls.map(({ name }) => name)).to.deep.equal(['panel GET', 'panel POST']);
    expect(panel.requests.map(({ headers }) => headers['traceparent'])).to.deep.equal(
      calls.map(({ spanId }) => `00-${traceId}-${spanId}-01`),
    );
  });

  it('exports no trace that the caller does not sample, and still propagates it to the panel', async () => {
    panel.forget();
    const headers = { traceparent: `00-${'1'.repeat(32)}-${callerSpanId}-00` };
    const body = { signal: 'stop' };
    expect((await send('/api/v1/servers/a1b2c3d4/power', { headers, body })).status).to.equal(202);
    expect(panel.requests.at(-1)?.headers['traceparent']).to.match(/^00-1{32}-\w{16}-00$/);
    const { requestId } = await send('/api/v1/me');
    await collector.trace(requestId);
    expect(collector.text()).to.not.include('1'.repeat(32));
  });

  it('starts a new trace for a caller that is not a trusted proxy', async () => {
    const direct = await startProgram(settings);
    const headers = { traceparent: `00-${'2'.repeat(32)}-${callerSpanId}-00` };
    const { requestId } = await send('/api/v1/me', { headers, to: direct });
    const { root } = await collector.trace(requestId);
    expect(root.traceId).to.not.equal('2'.repeat(32));
    await direct.stop();
  });

  it('records error codes, and marks a span as an error for 5xx only', async () => {
    const refused = await collector.trace((await send('/api/v1/catalog/games/none')).requestId);
    expect(refused.root.attributes['error.type']).to.equal('not_found');
    expect(refused.root.status.code).to.equal(0);
    const unauthorized = await send('/api/v1/me', { headers: { 'X-API-Key': 'invalid' } });
    expect((await collector.trace(unauthorized.requestId)).root.attributes['error.type']).to.equal(
      'unauthorized',
    );

    panel.respondWith({
      status: 403,
      body: { errors: [{ code: 'Forbidden', detail: 'message of the panel' }] },
    });
    const { status, requestId } = await send('/api/v1/servers/a1b2c3d4/power', { body: { signal: 'stop' } });
    panel.recover();
    expect(status).to.equal(502);
    const { root, others } = await collector.trace(requestId);
    expect(root.attributes['error.type']).to.equal('upstream_error');
    expect(root.status).to.deep.equal({ code: 2 });
    // The server list may be requested first.
    expect(others.find(({ name }) => name.startsWith('panel '))?.attributes).to.deep.include({
      'http.response.status_code': 403,
      'error.type': '403',
    });
  });

  it('exports no key, body, query or message of the panel', async () => {
    const { requestId } = await send('/api/v1/announcements?page=77');
    await collector.trace(requestId);
    const { applicationKey, clientKey } = panel;
    for (const secret of [
      key,
      applicationKey,
      clientKey,
      'a private message',
      'page=77',
      'message of the panel',
    ])
      expect(collector.text()).to.not.include(secret);
  });

  it('does not trace health probes', async () => {
    const { requestId } = await send('/readyz');
    await collector.trace((await send('/api/v1/me')).requestId);
    expect(collector.text()).to.not.include(requestId);
  });
});
