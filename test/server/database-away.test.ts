/** MongoDB away: a start waits and says so; later, calls fail soon and in the envelope, and work again when it is back. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { connectMongoose } from '../../server/database.ts';
import { freePort } from '../../server/embedded/free-port.ts';
import { prepareDatabase } from '../../server/prepare-database.ts';
import { describeServer, EmbeddedTrial } from '../support/embedded.ts';
import { expectError } from '../support/expect-error.ts';
import { failureOf } from '../support/failure-of.ts';
import { runProgram, startProgram } from '../support/program.ts';

/** One call, and how long it took. */
async function callAt(base: string, path: string, key = '') {
  const startedAt = Date.now();
  const response = await fetch(base + path, { headers: { 'X-API-Key': key } });
  const { status, headers } = response;
  return { status, headers, body: await response.json(), ms: Date.now() - startedAt };
}

describe('MongoDB away', function () {
  this.timeout(120_000);

  let trial: EmbeddedTrial;
  beforeEach(async () => {
    trial = await EmbeddedTrial.begin();
  });
  afterEach(() => trial.end());

  describe('later', () => {
    let pid: number;
    let uri: string;
    let key: string;
    let program: Awaited<ReturnType<typeof startProgram>>;

    beforeEach(async () => {
      ({ uri } = await trial.open());
      ({ pid } = await describeServer(uri));
      program = await startProgram({ MONGODB_URI: uri, SEED_DEMO: 'true' });
      key = program.key ?? '';
    });
    afterEach(async () => {
      process.kill(pid, 'SIGCONT');
      expect(await program.stop()).to.equal(0);
    });

    it('answers 500 within seconds while it hangs, is not ready, and recovers', async () => {
      expect((await callAt(program.url, '/api/v1/me', key)).status).to.equal(200);
      process.kill(pid, 'SIGSTOP');
      const calls = await Promise.all(
        Array.from({ length: 20 }, () => callAt(program.url, '/api/v1/tickets', key)),
      );
      for (const call of calls) {
        expectError(call, 'internal_error', 'Internal error');
        expect(call.ms).to.be.below(11_000);
      }
      const probe = await callAt(program.url, '/readyz');
      expect(probe.status).to.equal(503);
      expect(probe.body).to.deep.equal({ status: 'not_ready', parts: { mongodb: 'away', panel: 'ok' } });
      expect((await callAt(program.url, '/healthz')).status).to.equal(200);
      process.kill(pid, 'SIGCONT');
      const deadline = Date.now() + 20_000;
      while ((await callAt(program.url, '/readyz')).status !== 200) expect(Date.now()).to.be.below(deadline);
      expect((await callAt(program.url, '/api/v1/me', key)).status).to.equal(200);
    });
  });

  describe('at the start', () => {
    it('is waited for and said once, and found when it comes', async () => {
      const first = await trial.open();
      await first.stop();
      const said: string[] = [];
      const preparing = prepareDatabase(`${first.uri}&serverSelectionTimeoutMS=300`, {
        say: (line) => said.push(line),
      });
      while (said.length === 0) await new Promise(setImmediate);
      await trial.open();
      await preparing;
      expect(said).to.have.lengthOf(1);
      expect(said[0]).to.match(/^No connection to MongoDB: .*; waiting for it up to 30 s \.\.\.$/);
      const connection = await connectMongoose(first.uri);
      const indexes = await connection.collection('users').indexes();
      await connection.close();
      expect(indexes.length).to.be.greaterThan(1);
    });

    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      it(`is no longer waited for after ${signal}: the program ends at once, in good order`, async () => {
        const MONGODB_URI = `mongodb://127.0.0.1:${await freePort()}/gamehost?serverSelectionTimeoutMS=2000`;
        const waiting = 'waiting for it up to 30 s ...\n';
        const { code, output } = await runProgram({ MONGODB_URI, PORT: '0' }, { says: waiting, signal });
        expect(output.split(waiting)[1]).to.equal('Stopping ...\nStopped.\n');
        expect(code).to.equal(0);
      });

    it('is no longer waited for when told so, whatever it does meanwhile', async () => {
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo; // a listening TCP server has one
      const ending = new AbortController();
      const preparing = prepareDatabase(`mongodb://127.0.0.1:${port}/gamehost`, {
        say: () => {},
        signal: ending.signal,
      });
      await once(silent, 'connection');
      const endedAt = performance.now();
      ending.abort();
      expect((await failureOf(preparing)).name).to.equal('AbortError');
      expect(performance.now() - endedAt).to.be.below(500);
      silent.close();
    });

    it('ends the start with the reason when it does not come', async () => {
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo; // a listening TCP server has one
      const uri = `mongodb://127.0.0.1:${port}/gamehost?serverSelectionTimeoutMS=200`;
      const failure = await failureOf(prepareDatabase(uri, { say: () => {}, patienceMs: 500 }));
      silent.close();
      expect(failure.name).to.equal('StartError');
      expect(failure.message).to.match(/^No connection to MongoDB: /);
    });
  });
});
