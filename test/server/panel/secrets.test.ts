/** Our keys appear nowhere, and no message to a caller contains the panel's text or address. */
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { pino } from 'pino';
import { refusal } from '../../../server/panel/demo/answers.ts';
import type { Behaviour } from '../../support/stand-in-panel.ts';
import { refusalOf, usePanelTest } from './start-panel-test.ts';

describe('the panel client', () => {
  const test = usePanelTest({ readTimeoutMs: 50, clientTimeoutMs: 50, responseBytesMax: 100_000 });

  /** A panel in debug mode repeats the request's headers. */
  const debugPage = () =>
    refusal(500, 'ErrorException', `Bearer ${test.standIn.applicationKey} Bearer ${test.standIn.clientKey}`);

  const behaviours: Record<string, () => Behaviour> = {
    'a refused key': () => refusal(401, 'AuthenticationException', 'db.internal'),
    'a debug page': debugPage,
    'a reset connection': () => 'reset',
    'a time-out': () => 'hang',
    'a huge response': () => ({ body: Buffer.alloc(1_000_000, ' ') }),
    'a redirect': () => ({ status: 302, headers: { Location: 'https://db.internal/auth/login' } }),
    'an unexpected JSON shape': () => ({ body: { attributes: { relationships: test.standIn.clientKey } } }),
  };

  for (const [name, behaviour] of Object.entries(behaviours))
    it(`keeps keys out of errors and logs, and hosts out of messages: ${name}`, async () => {
      test.standIn.respondWith(behaviour());
      for (const call of [() => test.list(), () => test.power()]) {
        const refusal = await refusalOf(call());
        expect(refusal.message).not.to.match(/127\.0\.0\.1|localhost|internal|Bearer|ptl|http|E[A-Z]{4,}/);
        const written =
          inspect(refusal, { depth: null, showHidden: true }) + asLogged(refusal) + inspect(test.logged);
        expect(written).not.to.include(test.standIn.applicationKey);
        expect(written).not.to.include(test.standIn.clientKey);
      }
    });

  it('logs a connection error with its address', async () => {
    const { host } = new URL(test.standIn.url);
    await test.standIn.stop();
    expect(asLogged(await refusalOf(test.list())))
      .to.match(/ECONNREFUSED|ERR_SOCKET_CLOSED_BEFORE_CONNECTION/) // the latter on newer Node
      .and.include(host);
  });
});

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
