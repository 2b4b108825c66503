/** /healthz and /readyz are open to everyone, skip limit, audit and log, and name the part that is unavailable. */
import { expect } from 'chai';
import { createReadiness, PanelHealth } from '../../../server/observability/health.ts';
import { createLog } from '../../../server/observability/log.ts';
import { openRedis } from '../../../server/redis.ts';
import { requestOf, sendRaw } from '../../support/raw-http.ts';
import { startTestRedis } from '../../support/redis.ts';
import { useService } from '../../support/service.ts';

describe('the health endpoints', () => {
  const service = useService({ rateLimitPerMinute: 2, logLevel: 'info', panel: { readRetries: 0 } });

  const ready = { status: 'ready', parts: { mongodb: 'ok', panel: 'ok' } };

  for (const [path, body, condition] of [
    ['/healthz', { status: 'ok' }, 'the process runs'],
    ['/healthz/', { status: 'ok' }, 'the process runs, and a probe has a slash at its end'],
    ['/readyz', ready, 'MongoDB answers'],
  ] as const)
    it(`answer ${path} with 200 while ${condition}, and HEAD like GET without a body`, async () => {
      const { status, ...answer } = await service.callAt('GET', path);
      expect([status, answer.body]).to.deep.equal([200, body]);
      expect(answer.headers.get('Cache-Control')).to.equal('no-store');
      expect(await service.callAt('HEAD', path)).to.include({ status: 200, text: '' });
    });

  it('never limit, audit or log probes, with or without a key', async () => {
    const { user, secret } = await service.addKey();
    for (let probe = 0; probe < 5; probe += 1)
      expect((await service.callAt('GET', '/readyz', { key: secret })).status).to.equal(200);
    expect((await service.call('GET', '/me', { key: secret })).headers.get('X-RateLimit-Remaining')).to.equal(
      '1',
    );
    await service.flushAudit();
    const entries = await service.models.auditEntries.list({ userId: user._id, limit: 10 });
    expect(entries).to.have.lengthOf(1);
    expect(service.logLines.join()).not.to.include('/readyz');
  });

  it('stay ready while the panel fails, and report it until the panel answers', async () => {
    const user = await service.addUser({ panelUserId: 7 });
    const { secret } = await service.addKey({ user });
    service.panel.respondWith({ status: 500 });
    expect((await service.call('GET', '/servers', { key: secret })).status).to.equal(502);
    service.panel.recover();
    const answer = await service.callAt('GET', '/readyz');
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ ...ready, parts: { mongodb: 'ok', panel: 'unavailable' } });
    service.clock.advance(60_000);
    await service.call('GET', '/servers', { key: secret });
    expect((await service.callAt('GET', '/readyz')).body).to.deep.equal(ready);
  });

  // This test is last because a stopping service never becomes ready again.
  it('answer /readyz with 503 during a stop, and close each connection after its response', async () => {
    service.readiness.stop();
    const probe = await service.callAt('GET', '/readyz');
    expect(probe.status).to.equal(503);
    expect(probe.body).to.deep.equal({ ...ready, status: 'stopping' });
    expect((await service.callAt('GET', '/healthz')).status).to.equal(200);
    const keepAlive = requestOf('GET /api/v1/openapi.json HTTP/1.1', { Connection: 'keep-alive' });
    const answer = await sendRaw(service.url, keepAlive);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('Connection')).to.equal('close');
  });
});

describe('the readiness check', () => {
  const readinessWith = (pingDatabase: () => Promise<unknown>) =>
    createReadiness({ pingDatabase, shared: null, panel: new PanelHealth() });

  it('reports a database that hangs as unavailable', async () => {
    const parts = { mongodb: 'unavailable', panel: 'ok' };
    const hanging = readinessWith(() => new Promise(() => {}));
    expect(await hanging.check()).to.deep.equal({ isReady: false, status: 'not_ready', parts });
  });

  it('is ready again when the database is back', async () => {
    let isUp = false;
    const readiness = readinessWith(() =>
      isUp ? Promise.resolve() : Promise.reject(new Error('unavailable')),
    );
    expect((await readiness.check()).isReady).to.equal(false);
    isUp = true;
    expect((await readiness.check()).isReady).to.equal(true);
  });

  it('stays ready while Redis is unavailable, and reports it', async () => {
    const server = await startTestRedis();
    const shared = await openRedis(server.url, createLog('silent'));
    const readiness = createReadiness({ pingDatabase: async () => {}, shared, panel: new PanelHealth() });
    const parts = { mongodb: 'ok', redis: 'ok', panel: 'ok' };
    expect(await readiness.check()).to.deep.equal({ isReady: true, status: 'ready', parts });
    await server.kill();
    const withoutRedis = { isReady: true, status: 'ready', parts: { ...parts, redis: 'unavailable' } };
    expect(await readiness.check()).to.deep.equal(withoutRedis);
    shared.stop();
    await server.stop();
  });

  it('checks once for concurrent probes', async () => {
    let times = 0;
    const readiness = readinessWith(async () => {
      times += 1;
    });
    await Promise.all(Array.from({ length: 100 }, () => readiness.check()));
    expect(times).to.equal(1);
  });
});
