/** Probes are answered without key, limit or audit, and say what is wrong; who is stopping bids farewell. */
import { expect } from 'chai';
import { type Footing, Readiness } from '../../server/health/readiness.ts';
import { requestOf, sendRaw } from '../support/raw-http.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('health', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await startTestService({ rateLimitPerMinute: 2, logLevel: 'info' });
  });
  afterEach(() => service.stop());

  const ready = { status: 'ready', parts: { mongodb: 'ok', panel: 'ok' } };

  it('/healthz: 200 while the process lives', async () => {
    const answer = await service.callAt('GET', '/healthz');
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ status: 'ok' });
    expect(answer.headers.get('Cache-Control')).to.equal('no-store');
  });

  it('/readyz: 200 while MongoDB answers', async () => {
    const answer = await service.callAt('GET', '/readyz');
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal(ready);
  });

  it('HEAD is answered like GET, without a body', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await service.callAt('HEAD', path);
      expect({ status: answer.status, text: answer.text }).to.deep.equal({ status: 200, text: '' });
    }
  });

  it('is not limited, not in the audit and not in the log, whatever key is sent', async () => {
    const { secret } = await service.addKey();
    for (let probe = 0; probe < 5; probe += 1)
      expect((await service.callAt('GET', '/readyz', { key: secret })).status).to.equal(200);
    expect((await service.call('GET', '/me', { key: secret })).headers.get('X-RateLimit-Remaining')).to.equal(
      '1',
    );
    await service.flushAudit();
    expect(await service.models.auditEntries.list({ limit: 10 })).to.have.lengthOf(1);
    expect(service.logLines.join()).not.to.include('/readyz');
  });

  it('/readyz: reports a panel that fails, and stays ready', async () => {
    const user = await service.addUser({ panelUserId: 7 });
    const { secret } = await service.addKey({ user });
    service.panel.respondWith({ status: 500 });
    expect((await service.call('GET', '/servers', { key: secret })).status).to.equal(502);
    const answer = await service.callAt('GET', '/readyz');
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ ...ready, parts: { mongodb: 'ok', panel: 'away' } });
  });

  it('/readyz: 503 once the service is stopping, while requests are still answered, each as its connection’s last', async () => {
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

describe('readiness', () => {
  const never = new Promise<never>(() => {});
  const footing = (ask: Footing['ask'], isDecisive = true): Footing => ({ isDecisive, ask });

  it('waits for a part that hangs a second, not longer, and names it', async () => {
    const readiness = new Readiness({ one: footing(async () => {}), two: footing(() => never) });
    const startedAt = Date.now();
    const { status, isReady, parts } = await readiness.ask();
    expect({ status, isReady }).to.deep.equal({ status: 'not_ready', isReady: false });
    expect(parts).to.deep.equal({ one: 'ok', two: 'away' });
    expect(Date.now() - startedAt).to.be.within(950, 2000);
  });

  it('is ready again when the part is', async () => {
    let isAway = true;
    const readiness = new Readiness({
      one: footing(async () => {
        if (isAway) throw new Error('away');
      }),
    });
    expect((await readiness.ask()).isReady).to.equal(false);
    isAway = false;
    expect((await readiness.ask()).isReady).to.equal(true);
  });

  it('asks once for all who ask at once', async () => {
    let times = 0;
    const readiness = new Readiness({
      one: footing(async () => {
        times += 1;
      }),
    });
    await Promise.all(Array.from({ length: 100 }, () => readiness.ask()));
    expect(times).to.equal(1);
  });
});
