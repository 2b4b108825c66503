/** Traces of the real program at a real collector, from the caller to the panel. */
import { expect } from 'chai';
import { createSendMessage, toolCall } from '../../support/mcp.ts';
import { panelBackup } from '../../support/panel/attributes.ts';
import { linkSignature, signedUrl } from '../../support/signed-links.ts';
import { startTracedProgram, tracedServer } from '../../support/traced-program.ts';
import { useStarted } from '../../support/use-started.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpanId = 'b7ad6b7169203331';
const powerPath = `/api/v1/servers/${tracedServer}/power`;

describe('tracing', () => {
  const traced = useStarted(() => startTracedProgram({ TRUST_PROXY: 'true' }));

  it('traces a REST call with its operation, status and MongoDB commands', async () => {
    const body = { title: 'Lag', message: 'a private message' };
    const { status, requestId } = await traced.send('/api/v1/tickets', { body });
    expect(status).to.equal(201);
    const { root, others } = await traced.collector.trace(requestId);
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
    const { requestId } = await traced.send('/trpc/account.me,subscriptions.list?batch=1');
    const { root, others } = await traced.collector.trace(requestId);
    expect(root.name).to.equal('trpc batch');
    expect(root.attributes['gamehost.protocol']).to.equal('trpc');
    expect(root.attributes['gamehost.operations']).to.have.members(['account.me', 'subscriptions.list']);
    const operations = others.filter(({ kind }) => kind === 1);
    expect(operations.map(({ name }) => name)).to.have.members(['account.me', 'subscriptions.list']);
    expect(operations.map(({ parentSpanId }) => parentSpanId)).to.deep.equal([root.spanId, root.spanId]);
  });

  it('traces a tool call over MCP', async () => {
    const { headers } = await createSendMessage(traced.program.url)(toolCall('get_my_profile'), {
      key: traced.key,
    });
    const { root } = await traced.collector.trace(headers.get('X-Request-Id') ?? '');
    expect(root.name).to.equal('account.me');
    expect(root.attributes['gamehost.protocol']).to.equal('mcp');
  });

  it('propagates traceparent from the caller to the panel', async () => {
    traced.panel.forget();
    const traceparent = `00-${traceId}-${callerSpanId}-01`;
    const power = { headers: { traceparent }, body: { signal: 'restart' } };
    const { status, requestId } = await traced.send(powerPath, power);
    expect(status).to.equal(202);
    const { root, others } = await traced.collector.trace(requestId);
    expect(root).to.include({ name: 'servers.power', traceId, parentSpanId: callerSpanId });
    const calls = others.filter(({ name }) => name.startsWith('panel'));
    expect(calls.map(({ name }) => name)).to.deep.equal(['panel GET', 'panel POST']);
    expect(traced.panel.requests.map(({ headers }) => headers['traceparent'])).to.deep.equal(
      calls.map(({ spanId }) => `00-${traceId}-${spanId}-01`),
    );
  });

  it('exports no trace that the caller does not sample, and still passes it to the panel', async () => {
    traced.panel.forget();
    const headers = { traceparent: `00-${'1'.repeat(32)}-${callerSpanId}-00` };
    const body = { signal: 'stop' };
    expect((await traced.send(powerPath, { headers, body })).status).to.equal(202);
    expect(traced.panel.requests.at(-1)?.headers['traceparent']).to.match(/^00-1{32}-\w{16}-00$/);
    const { requestId } = await traced.send('/api/v1/me');
    await traced.collector.trace(requestId);
    expect(traced.collector.text()).to.not.include('1'.repeat(32));
  });

  it('records error codes, and marks a span as an error for 5xx only', async () => {
    const refused = await traced.collector.trace((await traced.send('/api/v1/catalog/games/none')).requestId);
    expect(refused.root.attributes['error.type']).to.equal('not_found');
    expect(refused.root.status.code).to.equal(0);
    const unauthorized = await traced.send('/api/v1/me', { headers: { 'X-API-Key': 'invalid' } });
    expect((await traced.collector.trace(unauthorized.requestId)).root.attributes['error.type']).to.equal(
      'unauthorized',
    );

    traced.panel.respondWith({
      status: 403,
      body: { errors: [{ code: 'Forbidden', detail: 'message of the panel' }] },
    });
    const { status, requestId } = await traced.send(powerPath, { body: { signal: 'stop' } });
    traced.panel.recover();
    expect(status).to.equal(502);
    const { root, others } = await traced.collector.trace(requestId);
    expect(root.attributes['error.type']).to.equal('upstream_error');
    expect(root.status).to.deep.equal({ code: 2 });
    // The server list may be requested first.
    expect(others.find(({ name }) => name.startsWith('panel '))?.attributes).to.deep.include({
      'http.response.status_code': 403,
      'error.type': '403',
    });
  });

  it('exports no key, body, query or panel message', async () => {
    const { requestId } = await traced.send('/api/v1/announcements?page=77');
    await traced.collector.trace(requestId);
    const { key, panel } = traced;
    const texts = ['a private message', 'page=77', 'message of the panel'];
    for (const secret of [key, panel.applicationKey, panel.clientKey, ...texts])
      expect(traced.collector.text()).to.not.include(secret);
  });

  it('does not trace health probes', async () => {
    const { requestId } = await traced.send('/readyz');
    await traced.collector.trace((await traced.send('/api/v1/me')).requestId);
    expect(traced.collector.text()).to.not.include(requestId);
  });
});

describe("a backup's download link, at log level trace and without a trusted proxy", () => {
  const traced = useStarted(() => startTracedProgram({ LOG_LEVEL: 'trace' }));
  const { uuid } = panelBackup();
  const restPath = `/api/v1/servers/${tracedServer}/backups/${uuid}/download`;
  const input = JSON.stringify({ server_identifier: tracedServer, backup_uuid: uuid });
  const trpcPath = `/trpc/servers.backups.download?input=${encodeURIComponent(input)}`;
  const answers: Awaited<ReturnType<typeof traced.send>>[] = [];

  before(async () => {
    traced.panel.backups.set(tracedServer, [panelBackup()]);
    const headers = { traceparent: `00-${'2'.repeat(32)}-${callerSpanId}-00` };
    for (const path of [restPath, trpcPath]) answers.push(await traced.send(path, { headers }));
    const attributes = { url: signedUrl.replace('https:', 'gopher:') };
    traced.panel.respondNext({ body: { object: 'signed_url', attributes } });
    answers.push(await traced.send(restPath));
    for (const { requestId } of answers) await traced.collector.trace(requestId);
    await traced.program.stop();
  });

  it('is in a new trace if an untrusted caller names one', async () => {
    const { root } = await traced.collector.trace(answers[0]?.requestId ?? '');
    expect(root.traceId).to.not.equal('2'.repeat(32));
  });

  function expectAbsent(text: string): void {
    for (const part of [linkSignature, signedUrl.split('?')[0], 'node.panel.example'])
      expect(text).not.to.include(part);
  }

  it('reaches its caller over REST and tRPC, if it is an http or https address', () => {
    const [rest = '', trpc = '', refused = ''] = answers.map(({ text }) => text);
    expect(JSON.parse(rest).url).to.equal(signedUrl);
    expect(JSON.parse(trpc).result.data.url).to.equal(signedUrl);
    expect(JSON.parse(refused).error.code).to.equal('upstream_error');
    expectAbsent(refused);
  });

  it('appears in no line of the log at level trace', () => {
    expect(traced.program.output()).to.include('servers.backups.download');
    expect(traced.program.output()).to.include(answers[2]?.requestId);
    expectAbsent(traced.program.output());
  });

  it('appears in no span', () => {
    expect(traced.collector.text()).to.include('servers.backups.download').and.include('panel GET');
    expectAbsent(traced.collector.text());
  });

  it('appears in no collection of the database, including the audit', async () => {
    const collections = await traced.database.connection.listCollections();
    const texts = collections.map(async ({ name }) =>
      JSON.stringify(await traced.database.connection.collection(name).find().toArray()),
    );
    const text = (await Promise.all(texts)).join();
    expect(text).to.include('servers.backups.download');
    expectAbsent(text);
  });
});
