/** Requests above the maximum are refused at once, in every protocol, and leave nothing behind. */
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import { expect } from 'chai';
import type { AppRouter } from '../../../routers/index.ts';
import { expectError } from '../../support/expect-error.ts';
import { failureOf } from '../../support/failure-of.ts';
import { useService } from '../../support/service.ts';

describe('an overloaded service', () => {
  const inFlightMax = 2;
  const origin = 'https://app.example.com';
  const service = useService({
    panel: { clientTimeoutMs: 60_000, readTimeoutMs: 60_000, readTotalMs: 60_000 },
    config: { inFlightMax, corsOrigins: [origin] },
  });
  let key: string;
  let release: () => void;
  let held: Promise<{ status: number }[]>;

  beforeEach(async () => {
    service.panel.forget();
    service.clock.advance(60_000);
    const users = [await service.addUser({ panelUserId: 7 }), await service.addUser({ panelUserId: 8 })];
    const keys = await Promise.all(users.map(async (user) => (await service.addKey({ user })).secret));
    key = keys[0] ?? '';
    const after = new Promise<void>((resolve) => {
      release = () => {
        service.panel.recover();
        resolve();
      };
    });
    for (const panelUser of [7, 8]) service.panel.servers.set(panelUser, []);
    service.panel.respondWith({ after });
    held = Promise.all(keys.map((each) => service.call('GET', '/servers', { key: each })));
    while (service.panel.requests.length < inFlightMax) await new Promise(setImmediate);
  });
  afterEach(async () => {
    release();
    await held;
  });

  const message = 'The service is busy; nothing was done. Retry in 1 s';

  it('answers 503 overloaded with Retry-After to the first request above the maximum', async () => {
    const answer = await service.call('GET', '/me', { key });
    expectError(answer, 'overloaded', message);
    expect(answer.headers.get('Retry-After')).to.equal('1');
  });

  it('reports it in the form of tRPC clients, and on the account page', async () => {
    const client = createTRPCClient<AppRouter>({ links: [httpLink({ url: `${service.url}/trpc` })] });
    const failure = await failureOf(client.account.me.query());
    expect(failure).to.be.instanceOf(TRPCClientError);
    expect(failure.message).to.equal(message);
    expect((await service.callAt('GET', '/account/')).status).to.equal(503);
    expect((await service.callAt('POST', '/mcp', { key, body: {} })).status).to.equal(503);
  });

  it('lets allowed pages read the refusal in every protocol, and answers their preflights', async () => {
    const headers = { Origin: origin };
    for (const path of ['/api/v1/me', '/trpc/account.me', '/mcp']) {
      const answer = await service.callAt('GET', path, { key, headers });
      expect(answer.status).to.equal(503);
      expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal(origin);
      expect(answer.headers.get('Access-Control-Expose-Headers')).to.include('Retry-After');
      const preflight = { headers: { ...headers, 'Access-Control-Request-Method': 'POST' } };
      expect((await service.callAt('OPTIONS', path, preflight)).status).to.equal(204);
    }
    const { headers: ofAccount } = await service.callAt('GET', '/account/', { headers });
    expect(ofAccount.has('Access-Control-Allow-Origin')).to.equal(false);
  });

  it('still answers probes', async () => {
    expect((await service.callAt('GET', '/healthz')).status).to.equal(200);
    expect((await service.callAt('GET', '/readyz')).status).to.equal(200);
  });

  it('takes nothing from rate limits, and writes neither audit nor log', async () => {
    const body = { title: 'Lag', message: 'Since noon.' };
    expect((await service.call('POST', '/tickets', { key, body })).status).to.equal(503);
    release();
    await held;
    const answer = await service.call('GET', '/tickets', { key });
    expect(answer.body).to.deep.equal({ tickets: [] });
    expect(answer.headers.get('X-RateLimit-Remaining')).to.equal('118');
    expect(service.logLines).to.deep.equal([]);
  });

  it('accepts requests again once one ends, without disturbing those in progress', async () => {
    release();
    expect((await held).map(({ status }) => status)).to.deep.equal([200, 200]);
    expect((await service.call('GET', '/me', { key })).status).to.equal(200);
  });
});
