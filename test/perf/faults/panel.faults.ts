/** A panel that hangs, is gone, sends nonsense or is slow, under load: only calls that need it fail, quickly, until it is back. */
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { startProgram, type TestProgram } from '../../support/program.ts';
import { startStandInPanel } from '../../support/stand-in-panel.ts';
import { type Customer, fillDatabase } from '../customers.ts';
import { type Called, callApi } from './call.ts';
import { record } from './figures.ts';
import { openPanelGate, type PanelGate } from './panel-gate.ts';
import { type Reading, readProcess } from './readings.ts';
import { requestMixOf } from './request-mix.ts';
import { SteadyLoad } from './steady-load.ts';

/** From the panel's options, plus time for a busy machine. */
const readMsMax = 8_000;
const powerMsMax = 17_000;
const resetTimeoutMs = 10_000;
/** Most answers that need no panel take less, whatever the panel does: a mistake could cost them seconds. */
const medianMsMax = 1000;

const serverIdentifierOf = (userId: number) => userId.toString(16).padStart(8, '0');

/** A realistic number of nodes for so many servers: few calls go to one node at once. */
const nodeCount = 20;

async function startPanel(owners: readonly Customer[]) {
  const panel = await startStandInPanel();
  for (const { userId: user } of owners) {
    const server = { identifier: serverIdentifierOf(user), user, node: user % nodeCount };
    panel.servers.set(user, [panelServer(server)]);
  }
  const keys = { PANEL_APPLICATION_KEY: panel.applicationKey, PANEL_CLIENT_KEY: panel.clientKey };
  return { ...panel, settings: { PANEL_URL: panel.url, ...keys } };
}

describe('the service under load with a faulty panel', () => {
  let panel: Awaited<ReturnType<typeof startPanel>>;
  let gate: PanelGate;
  let program: TestProgram;
  let load: SteadyLoad;
  let owners: Customer[];
  let atFirst: Reading;

  before(async () => {
    const uri = testDatabaseUri();
    const customers = await fillDatabase(uri, 700, 3);
    owners = customers.splice(0, 500);
    panel = await startPanel(owners);
    gate = await openPanelGate(panel.url);
    program = await startProgram({
      ...{ ...panel.settings, PANEL_URL: gate.url },
      ...{ MONGODB_URI: uri, METRICS_PORT: '0', LOG_LEVEL: 'fatal' },
    });
    load = new SteadyLoad({ url: program.url, requests: requestMixOf(customers), rate: 40 });
    await pass(3000);
    atFirst = await readProcess(program);
  });
  after(async () => {
    await load.stop();
    await gate.shut();
    await panel.stop();
    expect(await program.stop()).to.equal(0);
  });
  beforeEach(() => {
    panel.forget();
    load.takeLatency();
  });
  afterEach('expects that other callers were unaffected and the service recovered', async () => {
    panel.recover();
    await gate.open();
    await untilBack();
    expect(load.unexpected).to.deep.equal({});
    // The panel's server closes idle connections after five seconds.
    await eventually(async () => expect(gate.connections()).to.be.below(5));
    const { sockets } = await readProcess(program);
    // MongoDB's pool grows to 100 connections, and the load keeps up to 64.
    expect(sockets - atFirst.sockets, 'sockets more than at first').to.be.below(170);
  });

  const call = (path: string, { secret: key }: Customer, body?: object) =>
    callApi(program.url, path, { key, body });

  /** Other owners each time, so that no list is cached. */
  const nextOwners = (count: number) => owners.splice(0, count);
  const list = (owner: Customer) => call('/servers', owner);
  const restart = (owner: Customer) =>
    call(`/servers/${serverIdentifierOf(owner.userId)}/power`, owner, { signal: 'restart' });

  /** Expects refusals in the error envelope; returns how long the longest took. */
  function expectRefused(answers: Called[]): number {
    for (const answer of answers) {
      expect(answer.status).to.equal(502);
      expectError(answer, 'upstream_error', answer.body.error.message);
    }
    return Math.round(Math.max(...answers.map(({ ms }) => ms)));
  }

  /** Resolves to the time until lists and signals are answered again. */
  async function untilBack(): Promise<number> {
    const startedAt = performance.now();
    for (;;) {
      const [owner] = nextOwners(1);
      if (!owner) throw new Error('there are too few owners');
      const answers = [await list(owner), await restart(owner)];
      if (answers.every(({ status }) => status < 300)) return Math.round(performance.now() - startedAt);
      expect(performance.now() - startedAt).to.be.below(3 * resetTimeoutMs);
      await pass(500);
    }
  }

  const faults: [what: string, begin: () => unknown, end: () => unknown][] = [
    ['The panel hangs', () => panel.respondWith('hang'), () => panel.recover()],
    ['The panel is gone', () => gate.shut(), () => gate.open()],
    ['The panel breaks every connection', () => panel.respondWith('reset'), () => panel.recover()],
    ['The panel speaks no HTTP', () => gate.talk('220 mail.example ESMTP\r\n'), () => gate.open()],
    [
      'The panel serves a page of its proxy',
      () => panel.respondWith({ status: 503, body: '<h1>Be right back</h1>' }),
      () => panel.recover(),
    ],
  ];
  for (const [what, begin, end] of faults)
    it(`answers 502 in time, then at once, keeps everything else working, and recovers: ${what}`, async () => {
      // An owner with a cached list may send a signal although no list is available.
      const known = nextOwners(8);
      await Promise.all(known.map(list));
      await begin();
      const first = await Promise.all([
        Promise.all(nextOwners(8).map(list)),
        Promise.all(known.map(restart)),
      ]);
      const [listMs = 0, signalMs = 0] = first.map(expectRefused);
      const resting = await Promise.all(nextOwners(10).map(list));
      expectRefused(resting);
      // One call may probe whether the panel is back; the others do not wait for it.
      const [, restingMs = 0] = resting.map(({ ms }) => Math.round(ms)).toSorted((a, b) => b - a);
      const { p50, p99, max: busyMs } = load.takeLatency();
      const atOnceMs = 1000 + busyMs;
      expect(listMs).to.be.below(readMsMax + atOnceMs);
      expect(signalMs).to.be.below(powerMsMax + atOnceMs);
      expect(restingMs).to.be.below(atOnceMs);
      expect(p50).to.be.below(medianMsMax);
      const signals = panel.requests.filter(({ method }) => method === 'POST').map(({ path }) => path);
      expect(signals.length, 'no signal was sent twice').to.equal(new Set(signals).size);
      await end();
      const recoveredMs = await untilBack();
      record(what, {
        'recovered after ms': recoveredMs,
        'lists refused after ms': listMs,
        'signals refused after ms': signalMs,
        'while resting': restingMs,
        'others p50 ms': p50,
        'others p99 ms': p99,
      });
    });

  it('lets only calls that need a slow panel wait, and sends each signal once', async () => {
    panel.respondWith({ after: pass(3000) });
    const asked = nextOwners(20);
    const answers = await Promise.all([...asked.map(list), ...asked.map(restart)]);
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200, 202]));
    expect(panel.signals.toSorted()).to.deep.equal(
      asked.map(({ userId }) => `${serverIdentifierOf(userId)} restart`).toSorted(),
    );
    const { p50, p99 } = load.takeLatency();
    expect(p50).to.be.below(medianMsMax);
    const slowestMs = Math.round(Math.max(...answers.map(({ ms }) => ms)));
    panel.recover();
    record('The panel is slow', {
      'slowest answer ms': slowestMs,
      'others p50 ms': p50,
      'others p99 ms': p99,
    });
  });
});
