/** One line in the log for each request, at level info: enough to find it, and no secret. */
import { expect } from 'chai';
import { useService } from '../support/service.ts';

describe('the log of requests', () => {
  const service = useService({ logLevel: 'info', panel: { retryDelayMs: 1 } });
  beforeEach(() => void service.logLines.splice(0));

  const entries = () => service.logLines.map((line) => JSON.parse(line));

  it('tells method, path, status, time, operation, protocol, key and request id, and neither query nor secret', async () => {
    const { secret, key } = await service.addKey();
    const headers = { 'X-Request-Id': 'traced-1' };
    await service.call('GET', '/announcements?page=2', { key: secret, headers });
    const [entry, ...others] = entries();
    expect(others).to.deep.equal([]);
    expect(entry).to.deep.include({
      requestId: 'traced-1',
      method: 'GET',
      path: '/api/v1/announcements',
      status: 200,
      operation: 'announcements.list',
      protocol: 'rest',
      keyId: key._id,
      address: '127.0.0.1',
      msg: 'Answered',
    });
    expect(entry.durationMs).to.be.a('number').at.least(0);
    expect(service.logLines.join()).not.to.include(secret).and.not.to.include('page=2');
  });

  it('carries one request id from the edge to the panel, and to the line of a failure', async () => {
    const { secret: key } = await service.addKey({ user: await service.addUser({ panelUserId: 7 }) });
    service.panel.respondWith({ status: 500 });
    const headers = { 'X-Request-Id': 'traced-2' };
    const answer = await service.call('GET', '/servers', { key, headers });
    service.panel.recover();
    expect(answer.headers.get('X-Request-Id')).to.equal('traced-2');
    expect(service.panel.requests.map((request) => request.headers['x-request-id'])).to.include('traced-2');
    const own = entries().filter(({ requestId }) => requestId === 'traced-2');
    expect(own.map(({ msg }) => msg))
      .to.include('Answered')
      .and.have.length.greaterThan(1);
  });

  it('names every call of a batch, and none where none was reached', async () => {
    const { secret: key } = await service.addKey();
    await service.callAt('GET', '/trpc/account.me,no.such?batch=1', { key });
    await service.callAt('GET', '/nowhere');
    expect(entries().map(({ operation, status }) => ({ operation, status }))).to.deep.equal([
      { operation: 'account.me,none', status: 207 },
      { operation: null, status: 404 },
    ]);
  });

  it('has one line of a long path, cut', async () => {
    await service.callAt('GET', `/a%0A{"level":60}/${'b'.repeat(5000)}`);
    expect(entries().map(({ path }) => path.length)).to.deep.equal([200]);
  });

  describe('at level warn', () => {
    const quiet = useService({ logLevel: 'warn' });

    it('is silent', async () => {
      await quiet.call('GET', '/openapi.json');
      expect(quiet.logLines).to.deep.equal([]);
    });
  });
});
