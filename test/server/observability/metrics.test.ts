/** Prometheus metrics: calls, durations, errors, the panel, the pool and the process, with bounded labels. */
import { expect } from 'chai';
import { connectMongoose } from '../../../server/database.ts';
import { Metrics } from '../../../server/observability/metrics/metrics.ts';
import { startMetrics } from '../../../server/observability/metrics/start-metrics.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { startTestService } from '../../support/service.ts';
import { useForEach } from '../../support/use-started.ts';

describe('the metrics endpoint', () => {
  const service = useForEach(() => startTestService({ rateLimitPerMinute: 3 }));

  const lines = async () => (await service.metrics.registry.metrics()).split('\n');
  const calls = async () => (await lines()).filter((line) => line.startsWith('gamehost_calls_total{')).sort();

  it('counts calls by operation, status and protocol, and measures their durations', async () => {
    const { secret: key } = await service.addKey();
    await service.call('GET', '/me', { key });
    await service.callAt('GET', '/trpc/account.me,catalog.getGame?batch=1', { key });
    await service.call('GET', '/me');
    expect(await calls()).to.deep.equal([
      'gamehost_calls_total{operation="account.me",status="200",protocol="rest"} 1',
      'gamehost_calls_total{operation="account.me",status="200",protocol="trpc"} 1',
      'gamehost_calls_total{operation="account.me",status="401",protocol="rest"} 1',
      'gamehost_calls_total{operation="catalog.getGame",status="400",protocol="trpc"} 1',
    ]);
    const durations = 'gamehost_request_duration_seconds';
    expect(await lines())
      .to.include(`${durations}_count{operation="account.me",protocol="rest"} 2`)
      .and.include(`${durations}_bucket{le="+Inf",operation="account.me",protocol="rest"} 2`);
  });

  it('takes no label value from a request', async () => {
    const { secret: key } = await service.addKey();
    await service.call('GET', '/nowhere/mischief', { key });
    await service.callAt('GET', '/mischief');
    await service.callAt('GET', '/trpc/no.suchmischief', { key });
    expect((await lines()).join()).not.to.include('mischief');
    expect(await calls()).to.deep.equal([
      'gamehost_calls_total{operation="none",status="404",protocol="rest"} 2',
      'gamehost_calls_total{operation="none",status="404",protocol="trpc"} 1',
    ]);
  });

  it('counts rate-limited calls, also over MCP, where the HTTP status is 200', async () => {
    const { secret: key } = await service.addKey();
    for (let call = 0; call < 4; call += 1) await service.call('GET', '/me', { key });
    const params = { name: 'get_my_profile', arguments: {} };
    await service.callAt('POST', '/mcp', {
      key,
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    });
    expect(await lines()).to.include('gamehost_refusals_total{code="rate_limited",protocol="rest"} 1');
    expect(await lines()).to.include('gamehost_refusals_total{code="rate_limited",protocol="mcp"} 1');
  });

  it('counts panel calls by outcome', async () => {
    const { secret: key } = await service.addKey({ user: await service.addUser({ panelUserId: 7 }) });
    await service.call('GET', '/servers', { key });
    service.clock.advance(60_000);
    service.panel.failWith(403, 'AccessDeniedHttpException');
    await service.call('GET', '/servers', { key });
    const name = 'gamehost_panel_calls_total';
    expect(await lines()).to.include(`${name}{api="application",outcome="answered"} 1`);
    expect(await lines()).to.include(`${name}{api="application",outcome="credentials"} 1`);
  });

  it('includes the process and its event loop', async () => {
    const names = (await lines()).map((line) => line.split(/[ {]/)[0]);
    expect(names).to.include.members(['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes']);
  });

  it('counts the open and busy connections to MongoDB', async () => {
    const pool = new Metrics();
    const gauge = async (name: string) => {
      const line = (await pool.registry.metrics()).split('\n').find((each) => each.startsWith(`${name} `));
      return Number(line?.split(' ')[1]);
    };
    const connection = await connectMongoose(testDatabaseUri(), {
      watch: (client) => pool.watchPool(client),
    });
    await Promise.all([1, 2].map(() => connection.db?.command({ ping: 1 })));
    expect(await gauge('gamehost_mongodb_connections')).to.be.within(1, 2);
    expect(await gauge('gamehost_mongodb_connections_busy')).to.equal(0);
    await connection.close();
    expect(await gauge('gamehost_mongodb_connections')).to.equal(0);
  });

  it('is served on its own port only', async () => {
    const { metricsUrl, stop } = await startMetrics({ host: '127.0.0.1', port: 0 });
    const url = metricsUrl ?? '';
    const answer = await fetch(url);
    expect(answer.headers.get('Content-Type')).to.match(/^text\/plain; version=/);
    expect(await answer.text()).to.include('# TYPE gamehost_calls_total counter');
    expect((await fetch(url, { method: 'POST' })).status).to.equal(405);
    expect((await fetch(new URL('/', url))).status).to.equal(404);
    await stop();
    expect((await service.callAt('GET', '/metrics')).status).to.equal(404);
  });

  it('counts nothing without METRICS_PORT', async () => {
    expect(await startMetrics(null)).to.include({ metrics: null, metricsUrl: null });
  });
});
