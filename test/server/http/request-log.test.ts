/** One line per request at level info is enough to find it, and contains no secret and no line of a caller. */
import { expect } from 'chai';
import { requestOf, sendRaw } from '../../support/raw-http.ts';
import { addSamples } from '../../support/samples.ts';
import { useService } from '../../support/service.ts';

/** A forged line, terminal escapes in 7-bit and 8-bit form, Unicode line separators, and characters that reverse text. */
const forged = '{"level":60,"msg":"forged"}';
const texts = [
  `a\n${forged}`,
  `a\r\n${forged}`,
  '\u001b[2J\u001b]0;owned\u0007',
  '\u009b31m',
  `a\u2028${forged}\u2029`,
  '\u0085',
  '\u007f',
  '\u202e\u2066\u200f\u061c',
  '"}\\',
];

/** Characters that control a terminal. */
const steering = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

describe('the request log', () => {
  const service = useService({ logLevel: 'info', rateLimitPerMinute: 1000, panel: { retryDelayMs: 1 } });
  beforeEach(() => void service.logLines.splice(0));

  const entries = () => service.logLines.map((line) => JSON.parse(line));

  it('shows method, path, status, time, operation, protocol, key and request id, but no query or secret', async () => {
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

  it('shows one request id from the edge to the panel, and in the line of a failure', async () => {
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

  it('lists every call of a batch, and none if none was reached', async () => {
    const { secret: key } = await service.addKey();
    await service.callAt('GET', '/trpc/account.me,no.such?batch=1', { key });
    await service.callAt('GET', '/nowhere');
    expect(entries().map(({ operation, status }) => ({ operation, status }))).to.deep.equal([
      { operation: 'account.me,none', status: 207 },
      { operation: null, status: 404 },
    ]);
  });

  it('shortens a long path to one line', async () => {
    await service.callAt('GET', `/a%0A{"level":60}/${'b'.repeat(5000)}`);
    expect(entries().map(({ path }) => path.length)).to.deep.equal([200]);
  });

  describe('with input that tries to forge lines', () => {
    let key: string;

    before(async () => {
      ({ key } = await addSamples(service));
    });

    function expectProperLines(): void {
      expect(service.logLines).to.not.have.lengthOf(0);
      for (const line of service.logLines) {
        expect(line.endsWith('\n')).to.equal(true);
        expect(line.slice(0, -1)).not.to.match(steering);
        expect(JSON.parse(line)).to.have.property('msg').that.does.not.equal('forged');
      }
    }

    it('writes one JSON object per line without terminal controls for any path, query, method, id or name', async () => {
      for (const text of texts) {
        const escaped = encodeURIComponent(text);
        await service.call('GET', `/${escaped}?${escaped}=${escaped}`, { key });
        await service.call('POST', `/servers/${escaped}/power`, { key, body: { signal: 'start' } });
        await service.callAt('GET', `/trpc/${escaped}?input=${escaped}`, { key });
        await service.callAt('POST', '/mcp', {
          key,
          body: { jsonrpc: '2.0', id: text, method: text, params: { name: text } },
        });
        const raw = requestOf('GET /api/v1/me HTTP/1.1', {
          'X-API-Key': key,
          'X-Request-Id': text,
          'User-Agent': text,
          Referer: text,
        });
        await sendRaw(service.url, Buffer.from(raw, 'latin1'));
      }
      expectProperLines();
    });

    it('writes one JSON object per line without terminal controls for any failure text of the panel', async () => {
      for (const text of texts) {
        service.clock.advance(60_000);
        service.panel.failWith(500, text, { detail: text });
        expect((await service.call('GET', '/servers', { key })).status).to.equal(502);
      }
      expectProperLines();
    });
  });

  describe('at the level warn', () => {
    const quiet = useService({ logLevel: 'warn' });

    it('is silent', async () => {
      await quiet.call('GET', '/openapi.json');
      expect(quiet.logLines).to.deep.equal([]);
    });
  });
});
