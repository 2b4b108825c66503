/** Without MongoDB, a start waits for it, and a running service answers 503 until it is back. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { connectMongoose, prepareDatabase } from '../../server/database.ts';
import { findFreePort } from '../../server/embedded-database/free-port.ts';
import { describeServer, useEmbedded } from '../support/embedded.ts';
import { failureOf } from '../support/failure-of.ts';
import { listenLocally } from '../support/local-server.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { TestReplicaSet } from '../support/replica-set.ts';
import { useStarted } from '../support/use-started.ts';

async function callAt(url: string, key = '', body?: object) {
  const response = await fetch(url, {
    headers: { 'X-API-Key': key, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const { status, headers } = response;
  return { status, headers, body: await response.json() };
}

describe('a service', () => {
  const embedded = useEmbedded();

  describe('that loses MongoDB while running', () => {
    let pid: number;
    let uri: string;
    let key: string;
    let program: Awaited<ReturnType<typeof startProgram>>;

    beforeEach(async () => {
      ({ uri } = await embedded.open());
      ({ pid } = await describeServer(uri));
      program = await startProgram({ MONGODB_URI: uri, SEED_DEMO: 'true' });
      key = program.key ?? '';
    });
    afterEach(async () => {
      process.kill(pid, 'SIGCONT');
      expect(await program.stop()).to.equal(0);
    });

    it('answers calls and /readyz with 503 instead of hanging, and recovers', async () => {
      expect((await callAt(`${program.url}/api/v1/me`, key)).status).to.equal(200);
      process.kill(pid, 'SIGSTOP');
      const calls = await Promise.all(
        Array.from({ length: 20 }, () => callAt(`${program.url}/api/v1/tickets`, key)),
      );
      for (const call of calls) {
        const { error } = call.body as { error: { code: string; message: string } };
        expect([call.status, error.code]).to.deep.equal([503, 'overloaded']);
        expect(error.message).to.match(/^The database (is busy|cannot be reached); retry in 1 s$/);
        expect(call.headers.get('Retry-After')).to.equal('1');
      }
      expect(program.output()).to.match(/"err":\{"type":"\w+Error","message":"\w/);
      const probe = await callAt(`${program.url}/readyz`);
      expect(probe.status).to.equal(503);
      expect(probe.body).to.deep.equal({
        status: 'not_ready',
        parts: { mongodb: 'unavailable', panel: 'ok' },
      });
      expect((await callAt(`${program.url}/healthz`)).status).to.equal(200);
      process.kill(pid, 'SIGCONT');
      while ((await callAt(`${program.url}/readyz`)).status !== 200) await new Promise(setImmediate);
      expect((await callAt(`${program.url}/api/v1/me`, key)).status).to.equal(200);
    });

    it('stops in order and exits with 0', async () => {
      process.kill(pid, 'SIGSTOP');
      expect(await program.stop()).to.equal(0);
    });
  });

  describe('with MongoDB on one machine', () => {
    const set = useStarted(() => TestReplicaSet.start({ members: 1 }));
    const program = useStarted(() => startProgram({ MONGODB_URI: set.uri, SEED_DEMO: 'true' }));

    /** The duration of simultaneous reads and writes, some of which wait until MongoDB has answered others. */
    async function longestCall(): Promise<number> {
      const startedAt = performance.now();
      const took = async (path: string, body?: object) => {
        await callAt(program.url + path, program.key ?? '', body);
        return performance.now() - startedAt;
      };
      const ticket = { title: 'Lag', message: 'Since noon.' };
      const calls = Array.from({ length: 5 }, () => [
        ...[took('/api/v1/me'), took('/api/v1/subscriptions'), took('/api/v1/tickets', ticket)],
      ]);
      return Math.max(...(await Promise.all(calls.flat())));
    }

    const pid = () => set.pids()[0] ?? 0;
    const failures = [
      {
        what: 'hangs',
        fail: () => process.kill(pid(), 'SIGSTOP'),
        mend: () => process.kill(pid(), 'SIGCONT'),
      },
      { what: 'is gone', fail: () => set.killPrimary(), mend: () => set.restart(0) },
    ];
    for (const { what, fail, mend } of failures)
      it(`answers every call within ten seconds while MongoDB ${what}`, async () => {
        const [first] = await Promise.all([longestCall(), fail()]);
        // The first calls hang in a connection; later ones get none.
        const longest = Math.max(first, await longestCall(), await longestCall());
        await mend();
        expect(longest).to.be.below(10_000);
      });

    it('answers a customer who opens many tickets within ten seconds while MongoDB hangs at the first', async () => {
      const hangs = { failCommands: ['findAndModify'], namespace: 'gamehost.sequences' };
      await set.failCommands({ ...hangs, blockConnection: true, blockTimeMS: 12_000 });
      const startedAt = performance.now();
      const open = (title: string) =>
        callAt(`${program.url}/api/v1/tickets`, program.key ?? '', { title, message: 'Since noon.' });
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => open(`Lag ${index}`)));
      const tookMs = performance.now() - startedAt;
      await set.failCommands(null);
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([503]));
      expect(tookMs).to.be.below(10_000);
    });
  });

  describe('that starts without MongoDB', () => {
    it('waits for MongoDB, logs that once, and uses it when it comes up', async () => {
      const first = await embedded.open();
      await first.stop();
      const progress: string[] = [];
      const preparing = prepareDatabase(`${first.uri}&serverSelectionTimeoutMS=300`, {
        reportProgress: (line) => progress.push(line),
      });
      while (progress.length === 0) await new Promise(setImmediate);
      await embedded.open();
      await preparing;
      const waiting = progress.filter((line) => line.includes('waiting for it'));
      expect(waiting).to.have.lengthOf(1);
      expect(waiting[0]).to.match(
        /^No connection to the MongoDB at MONGODB_URI: .*; waiting for it up to 30 s \.\.\.$/,
      );
      const connection = await connectMongoose(first.uri);
      const indexes = await connection.collection('users').indexes();
      await connection.close();
      expect(indexes.length).to.be.greaterThan(1);
    });

    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      it(`stops waiting after ${signal} and exits with 0`, async () => {
        const MONGODB_URI = `mongodb://127.0.0.1:${await findFreePort()}/gamehost?serverSelectionTimeoutMS=2000`;
        const waiting = 'waiting for it up to 30 s ...\n';
        const { code, output } = await runProgram({ MONGODB_URI, PORT: '0' }, { says: waiting, signal });
        expect(output.split(waiting)[1]).to.equal('Stopping ...\nStopped.\n');
        expect(code).to.equal(0);
      });

    it('stops waiting after an abort, even while a connection hangs', async () => {
      const silent = createServer();
      const { port } = await listenLocally(silent);
      const aborting = new AbortController();
      const uri = `mongodb://127.0.0.1:${port}/gamehost?serverSelectionTimeoutMS=600000`;
      const preparing = prepareDatabase(uri, { reportProgress: () => {}, signal: aborting.signal });
      await once(silent, 'connection');
      aborting.abort();
      expect((await failureOf(preparing)).name).to.equal('AbortError');
      silent.close();
    });

    it('stops with the reason when the time to wait is over', async () => {
      const silent = createServer();
      const { port } = await listenLocally(silent);
      const uri = `mongodb://127.0.0.1:${port}/gamehost?serverSelectionTimeoutMS=200`;
      const failure = await failureOf(prepareDatabase(uri, { reportProgress: () => {}, timeoutMs: 500 }));
      silent.close();
      expect(failure.name).to.equal('StartError');
      expect(failure.message).to.match(/^No connection to the MongoDB at MONGODB_URI: /);
    });
  });
});
