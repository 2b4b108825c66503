/** What must never come out: our keys anywhere, and the panel's words and address before a caller. */
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { pino } from 'pino';
import { type Behaviour, errorEnvelope } from '../../support/stand-in-panel.ts';
import { type PanelTest, refusalOf, startPanelTest } from './start.ts';

describe('the panel client: what never comes out', () => {
  let test: PanelTest;
  beforeEach(async () => {
    test = await startPanelTest({ readTimeoutMs: 50, powerTimeoutMs: 50, answerBytesMax: 100_000 });
  });
  afterEach(() => test.stop());

  /** A panel in debug mode: it repeats the headers it was sent. */
  const chatty = () =>
    errorEnvelope(
      500,
      'ErrorException',
      `Bearer ${test.standIn.applicationKey} Bearer ${test.standIn.clientKey}`,
    );

  const troubles: Record<string, () => Behaviour> = {
    'a refused key': () => ({
      status: 401,
      body: errorEnvelope(401, 'AuthenticationException', 'db.internal'),
    }),
    'a debug page': () => ({ status: 500, body: chatty() }),
    'a reset connection': () => 'reset',
    'no answer': () => 'hang',
    'a huge answer': () => ({ body: Buffer.alloc(1_000_000, ' ') }),
    'a redirect': () => ({ status: 302, headers: { Location: 'https://db.internal/auth/login' } }),
    'another shape': () => ({ body: { attributes: { relationships: test.standIn.clientKey } } }),
  };

  for (const [name, trouble] of Object.entries(troubles))
    it(`neither key in anything thrown or logged, and no host in a message: ${name}`, async () => {
      test.standIn.respondWith(trouble());
      for (const call of [() => test.list(), () => test.power()]) {
        const refusal = await refusalOf(call());
        expect(refusal.message).not.to.match(/127\.0\.0\.1|localhost|internal|Bearer|ptl|http|E[A-Z]{4,}/);
        const written =
          inspect(refusal, { depth: null, showHidden: true }) + asLogged(refusal) + inspect(test.logged);
        expect(written).not.to.include(test.standIn.applicationKey);
        expect(written).not.to.include(test.standIn.clientKey);
      }
    });

  it('keeps the reason for the log: the failure names the connection error and its address', async () => {
    const { host } = new URL(test.standIn.url);
    await test.standIn.stop();
    expect(asLogged(await refusalOf(test.list())))
      .to.match(/ECONNREFUSED|ERR_SOCKET_CLOSED_BEFORE_CONNECTION/) // the latter on newer Node
      .and.include(host);
  });
});

/** The line pino writes of an error. */
function asLogged(err: Error): string {
  let written = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk);
      done();
    },
  });
  pino({}, sink).error({ err }, 'failed');
  return written;
}
