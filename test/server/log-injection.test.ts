/** Whatever a caller writes into a request, a line of the log stays one JSON object, and steers no terminal. */
import { expect } from 'chai';
import { requestOf, sendRaw } from '../support/raw-http.ts';
import { addSampled } from '../support/samples.ts';
import { useService } from '../support/service.ts';

/** A forged line, terminal escapes in their 7-bit and 8-bit forms, lines as Unicode knows them, and what turns them round. */
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

/** What a terminal acts on. */
const steering = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

describe('log injection', () => {
  const service = useService({ logLevel: 'info', rateLimitPerMinute: 1000, panel: { retryDelayMs: 1 } });
  let key: string;

  before(async () => {
    ({ key } = await addSampled(service));
  });
  beforeEach(() => void service.logLines.splice(0));

  function expectProperLines(): void {
    expect(service.logLines).to.not.have.lengthOf(0);
    for (const line of service.logLines) {
      expect(line.endsWith('\n')).to.equal(true);
      expect(line.slice(0, -1)).not.to.match(steering);
      expect(JSON.parse(line)).to.have.property('msg').that.does.not.equal('forged');
    }
  }

  it('by a path, a query, a method, an id or a name', async () => {
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

  it('by what the panel says of a failure', async () => {
    for (const text of texts) {
      service.clock.advance(60_000);
      service.panel.failWith(500, text, { detail: text });
      expect((await service.call('GET', '/servers', { key })).status).to.equal(502);
    }
    expectProperLines();
  });
});
