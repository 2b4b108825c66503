/** Live state is cached and coalesced per server, unknown with a reason if it cannot be read, and never delays power. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { panelServer } from '../../support/panel/attributes.ts';
import { createHold, identifier, located, usePanelTest } from './start-panel-test.ts';

describe("the panel client's live state", () => {
  const test = usePanelTest();

  const read = (server = identifier) => test.panel.getResources(located(server), 'req-1');
  const calls = () => test.standIn.requests.map(({ method, path }) => `${method} ${path}`);

  for (const [what, write] of [
    ['a power signal', () => test.power()],
    ['a command', () => test.panel.sendCommand(located(identifier), 'stop', 'req-1')],
  ] as const)
    it(`is read again after ${what}, even if a read was pending`, async () => {
      await read();
      await write();
      test.standIn.runStates.set(identifier, 'stopping');
      expect((await read()).state).to.equal('stopping');
      test.advance(20_000);
      const { after, release } = createHold();
      test.standIn.respondNext({ after });
      const pending = read();
      await write();
      release();
      await pending;
      test.standIn.runStates.set(identifier, 'offline');
      expect((await read()).state).to.equal('offline');
    });

  const ofNode = 'The machine that hosts the server did not carry out the request.';
  const conflict = 'ServerStateConflictException';
  const reasons = [
    [504, 'DaemonConnectionException', '', ofNode],
    [500, 'RequestException', '', ofNode],
    [409, conflict, 'is currently suspended', 'The server is suspended.'],
    [409, conflict, 'its installation', 'The server has not finished its installation.'],
    [500, 'TypeError', '', 'The panel failed.'],
  ] as const;
  for (const [status, code, detail, reason] of reasons)
    it(`is unknown after ${status} ${code} ${detail}, and that is cached too`, async () => {
      test.standIn.failWith(status, code, { detail });
      for (let count = 0; count < 8; count += 1)
        expect(await read()).to.include({ state: 'unknown', reason, memoryBytes: null, uptimeMs: null });
      expect(calls()).to.have.lengthOf(1);
    });

  it("is unknown for Pelican's missing", async () => {
    test.standIn.runStates.set(identifier, 'missing');
    expect(await read()).to.include({ state: 'unknown', reason: ofNode, memoryBytes: null });
  });

  it('is unknown to a caller who waited long enough, while the call continues and is cached', async () => {
    const { panel } = test.createClient({ liveWaitMs: 30 });
    const { after, release } = createHold();
    test.standIn.respondNext({ after });
    const stateNow = async () => (await panel.getResources(located(identifier), 'req-1')).state;
    expect(await stateNow()).to.equal('unknown');
    release();
    while ((await stateNow()) === 'unknown') await delay(5);
    expect(calls()).to.have.lengthOf(1);
  });
});

describe("the panel client under the panel's rate limits", () => {
  // Slow calls of a busy machine must not count as an outage.
  const test = usePanelTest({
    ...{ readTimeoutMs: 60_000, readTotalMs: 60_000, clientTimeoutMs: 60_000, liveWaitMs: 60_000 },
  });
  beforeEach(() => test.standIn.limitRate({ application: 240, client: 720 }, test.now));

  /** This number of customers each poll the state of one server every second; one of them sends signals. */
  async function poll(customerCount: number, seconds: number) {
    const customers = Array.from({ length: customerCount }, (_, index) => 1_000 + index);
    for (const id of customers) test.standIn.servers.set(id, [panelServer({ identifier: `server-${id}` })]);
    const states: string[] = [];
    for (let second = 0; second < seconds; second += 1) {
      await Promise.all(
        customers.map(async (id) => {
          const owned = await test.panel.listServers(id, 'req-1', 'ownership').catch(() => null);
          for (const server of owned?.servers ?? [])
            states.push((await test.panel.getResources(located(server.identifier, server), 'req-1')).state);
        }),
      );
      await test.panel.listServers(1_000, 'req-1', 'action');
      await test.panel.sendPower(located('server-1000'), 'restart', 'req-1');
      test.advance(1_000);
    }
    const requests = test.standIn.requests.map(({ path }) => path);
    return {
      states,
      lists: requests.filter((path) => path.startsWith('/api/application')).length,
      reads: requests.filter((path) => path.endsWith('/resources')).length,
    };
  }

  it('keeps power usable while 100 customers poll one server each every second', async () => {
    const { states, lists, reads } = await poll(100, 60);
    expect(test.standIn.signals).to.have.lengthOf(60);
    expect(states).to.have.lengthOf(6_000);
    expect(new Set(states)).to.deep.equal(new Set(['running']));
    expect(reads).to.be.at.most(99 * 3 + 60); // three times a minute, and once after each signal
    expect(lists).to.be.at.most(100 + 12); // once a minute, and every five seconds where signals are sent
  });

  it('stops reads of too many customers before the reserve for power, until the next minute', async () => {
    const client = 180;
    test.standIn.limitRate({ application: 2_400, client }, test.now);
    const { states, reads } = await poll(100, 25);
    expect(test.standIn.signals).to.have.lengthOf(25);
    expect(states).to.include('unknown');
    expect(reads).to.be.at.most(client * 0.75);
    test.advance(60_000);
    expect((await test.panel.getResources(located('server-1050'), 'req-1')).state).to.equal('running');
  });
});
