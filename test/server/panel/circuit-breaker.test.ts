/** While the panel is down, or has asked us to wait, calls fail at once and do not reach it. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { PanelAnswer } from '../../../server/panel/demo/answers.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { failureRows } from './failure-rows.ts';
import { createHold, identifier, located, ownerId, refusalOf, usePanelTest } from './start-panel-test.ts';

const othersServer = 'e5f6a7b8';

describe("the panel client's circuit breaker", () => {
  const test = usePanelTest({
    ...{ failureThreshold: 3, resetTimeoutMs: 10_000, readRetries: 0, callsPerCustomer: 0 },
  });
  let nextUser = 1_000;

  beforeEach(() => {
    test.standIn.servers.set(8, [panelServer({ identifier: othersServer })]);
  });

  const requestCount = () => test.standIn.requests.length;
  /** A new user each time, so that no list is cached. */
  const listOfAnother = () => test.list(nextUser++);
  const messageOf = async (call: Promise<unknown>) => (await refusalOf(call)).message;

  async function openCircuit() {
    test.standIn.respondWith({ status: 500 });
    for (let failure = 0; failure < 3; failure += 1) await refusalOf(listOfAnother());
    test.standIn.forget();
  }

  it('opens after consecutive outages, fails calls at once, and logs a warning', async () => {
    await openCircuit();
    expect(await messageOf(listOfAnother())).to.equal('The panel is unavailable; try again later');
    expect(requestCount()).to.equal(0);
    expect(test.logged.map(({ level }) => level)).to.deep.equal(['warn']);
  });

  it('probes the panel with one call after the reset timeout, and closes when it succeeds', async () => {
    await openCircuit();
    test.standIn.recover();
    test.advance(9_999);
    await refusalOf(listOfAnother());
    test.advance(1);
    expect(await listOfAnother()).to.deep.equal([]);
    expect(await listOfAnother()).to.deep.equal([]);
    expect(requestCount()).to.equal(2);
  });

  it('fails other calls while the probe is pending', async () => {
    await openCircuit();
    test.standIn.recover();
    test.advance(10_000);
    const { after, release } = createHold();
    test.standIn.respondNext({ after });
    const probe = listOfAnother();
    expect(await messageOf(listOfAnother())).to.equal('The panel is unavailable; try again later');
    release();
    expect(await probe).to.deep.equal([]);
    expect(requestCount()).to.equal(1);
  });

  it('opens again when the probe fails', async () => {
    await openCircuit();
    test.advance(10_000);
    expect(await messageOf(listOfAnother())).to.equal('The panel failed; try again later');
    expect(await messageOf(listOfAnother())).to.equal('The panel is unavailable; try again later');
    test.advance(9_999);
    await refusalOf(listOfAnother());
    expect(requestCount()).to.equal(1);
  });

  it('stays closed when successes separate the outages', async () => {
    test.standIn.respondNext({ status: 500 }, { status: 500 });
    await refusalOf(listOfAnother());
    await refusalOf(listOfAnother());
    await test.list(ownerId);
    test.standIn.respondNext({ status: 500 }, { status: 500 });
    await refusalOf(listOfAnother());
    await refusalOf(listOfAnother());
    expect(await listOfAnother()).to.deep.equal([]);
  });

  for (const { name, behaviour, alertsOperator } of failureRows)
    it(`stays closed after repeated failures of one server: ${name}, which alerts ${alertsOperator ? 'the operator' : 'no one'}`, async () => {
      for (let failure = 0; failure < 6; failure += 1) {
        test.standIn.respondNext(behaviour);
        await refusalOf(test.power());
      }
      expect(test.logged.some(({ level }) => level === 'error')).to.equal(alertsOperator);
      test.standIn.recover();
      await test.power(othersServer);
      expect(test.standIn.signals).to.deep.equal([`${othersServer} restart`]);
    });

  /** Signals of two customers, on two nodes. */
  async function failForTwo(prepare: () => unknown) {
    for (let failure = 0; failure < 6; failure += 1) {
      prepare();
      const place = { nodeId: failure % 2, ownerId: failure % 2 };
      await refusalOf(test.panel.sendPower(located(identifier, place), 'restart', 'req-1'));
    }
    test.standIn.recover();
  }

  for (const { name, behaviour } of failureRows)
    it(`stays closed while servers of two customers fail and the panel itself answers: ${name}`, async () => {
      await failForTwo(() => test.standIn.respondAbout(identifier, behaviour));
      await test.power(othersServer);
      expect(test.standIn.signals).to.deep.equal([`${othersServer} restart`]);
    });

  for (const { name, behaviour } of failureRows.filter(({ isOutage }) => isOutage))
    it(`opens when servers of two customers fail and the panel itself fails: ${name}`, async () => {
      await failForTwo(() => test.standIn.respondWith(behaviour));
      expect(await messageOf(test.power(othersServer))).to.match(/unavailable|busy/);
      expect(test.standIn.signals).to.deep.equal([]);
    });

  it('stays closed for other customers while only one customer meets a failing panel', async () => {
    test.standIn.respondWith({ status: 500 });
    for (const nodeId of [1, 2, 1, 2])
      await refusalOf(test.panel.sendPower(located(identifier, { nodeId }), 'restart', 'req-1'));
    test.standIn.recover();
    await test.panel.sendPower(located(othersServer, { ownerId: 8 }), 'restart', 'req-1');
    expect(test.standIn.signals).to.deep.equal([`${othersServer} restart`]);
  });

  it("lets another customer use power during any mixture of one customer's failures", async () => {
    const ownFailures = failureRows.filter(({ isOutage }) => !isOutage);
    let serverCount = 0;
    /** A new server each time, so that no read is cached. */
    const another = () => `server-${serverCount++}`;
    const calls: (() => Promise<unknown>)[] = [
      () => listOfAnother(),
      () => test.power(),
      () => test.panel.getResources(located(another()), 'req-1'),
      () => test.panel.listBackups(located(another()), 'req-1'),
      () => test.panel.createBackup(located(identifier), { name: 'Before', earlierTryAt: null }, 'req-1'),
      () => test.panel.getBackupLink(located(identifier), 'some-uuid', 'req-1'),
      () => test.panel.sendCommand(located(identifier), 'list', 'req-1'),
    ];
    const failure = fc.record({
      row: fc.constantFrom(...ownFailures),
      retryAfter: fc.constantFrom(undefined, '1', '580', '99999999'),
      call: fc.constantFrom(...calls),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(failure, { minLength: 1, maxLength: 20 }), async (failures) => {
        test.standIn.forget();
        for (const { row, retryAfter, call } of failures) {
          const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
          test.standIn.respondNext({ ...(row.behaviour as PanelAnswer), headers }); // only outages are no answers
          await call().catch(() => {}); // a live state is unknown instead
        }
        test.standIn.recover();
        await test.power(othersServer);
        expect(test.standIn.signals).to.deep.equal([`${othersServer} restart`]);
      }),
      { numRuns: 50 },
    );
  });

  it('opens only for the client API after power signals that the panel does not answer', async () => {
    test.standIn.respondWith('reset');
    for (const ownerId of [1, 2, 1])
      await refusalOf(test.panel.sendPower(located(identifier, { ownerId }), 'restart', 'req-1'));
    expect(await messageOf(test.power())).to.equal('The panel is unavailable; try again later');
    // With the last signal, the client also read the account of our key.
    expect(requestCount()).to.equal(4);
    test.standIn.recover();
    expect(await test.list()).to.have.lengthOf(1);
  });

  describe('and Retry-After', () => {
    const throttle = (retryAfter: string) =>
      test.standIn.failWith(429, 'ThrottleRequestsException', { headers: { 'Retry-After': retryAfter } });

    it('pauses the throttled API and not the other', async () => {
      throttle('30');
      await refusalOf(listOfAnother());
      test.standIn.recover();
      await test.power();
      expect(test.standIn.signals).to.deep.equal([`${identifier} restart`]);
    });

    it('accepts an HTTP date', async () => {
      throttle(new Date(test.now() + 45_000).toUTCString());
      expect((await refusalOf(listOfAnother())).retryAfterSeconds).to.equal(45);
    });

    it('passes on up to ten minutes to the caller, and pauses calls for at most one', async () => {
      throttle('99999999');
      expect((await refusalOf(listOfAnother())).retryAfterSeconds).to.equal(600);
      test.standIn.recover();
      test.advance(59_999);
      expect((await refusalOf(listOfAnother())).retryAfterSeconds).to.equal(1);
      test.advance(1);
      expect(await listOfAnother()).to.deep.equal([]);
    });

    for (const nonsense of ['0', '-5', 'soon', ''])
      it(`ignores a value of ${JSON.stringify(nonsense)}`, async () => {
        throttle(nonsense);
        expect((await refusalOf(listOfAnother())).retryAfterSeconds).to.equal(undefined);
        await refusalOf(listOfAnother());
        expect(requestCount()).to.equal(2);
      });

    it('waits after a 503, and retries it only when the time has passed', async () => {
      const { list } = test.createClient({ readRetries: 2 });
      test.standIn.respondWith({
        status: 503,
        headers: { 'Retry-After': '2' },
        body: '<h1>Be right back</h1>',
      });
      expect((await refusalOf(list())).retryAfterSeconds).to.equal(2);
      await refusalOf(list());
      expect(requestCount()).to.equal(1);
    });

    it('pauses nothing at the panel if a node sent it', async () => {
      test.standIn.failWith(503, 'DaemonConnectionException', { headers: { 'Retry-After': '60' } });
      expect((await refusalOf(test.power())).retryAfterSeconds).to.equal(undefined);
      test.standIn.recover();
      await test.power();
    });
  });
});
