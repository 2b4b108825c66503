/** A node that hangs holds the panel's workers, but never those that other customers need. */
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { panelBackup, panelServer } from '../../support/panel/attributes.ts';
import { resetPanel } from '../../support/server-owner.ts';
import { useOwner } from '../../support/use-key.ts';

const serverOn = (node: number, index = 0) => {
  const identifier = `n${node}s${String(index).padStart(2, '0')}`;
  return panelServer({ id: node * 100 + index, identifier, uuid: `${identifier}-uuid`, node });
};

/** A call would wait forever for a hanging node, so the tests decide when the panel gives up. */
describe('a service with a node that hangs', () => {
  // Generous for calls that do not hang, on a busy machine too.
  const panel = {
    ...{ liveWaitMs: 1_500, queueMs: 500, slowMs: 500, writeWaitMs: 1_500 },
    pauseMs: { shortest: 60_000, longest: 600_000 },
  };
  const service = useOwner({ rateLimitPerMinute: 100_000, panel });
  beforeEach(() => {
    resetPanel(
      service,
      Array.from({ length: 12 }, (_, index) => serverOn(66, index)),
    );
    service.panel.servers.set(8, [serverOn(1)]);
    service.panel.limitWorkers(5);
  });
  afterEach(() => {
    service.panel.hangNodes();
    service.panel.giveUpOnNodes();
  });

  const call = (path: string, key: string, body?: object) =>
    service.call(body ? 'POST' : 'GET', `/servers${path}`, { key, ...(body && { body }) });
  const power = (identifier: string, key: string) => call(`/${identifier}/power`, key, { signal: 'start' });
  const addCustomer = async (panelUserId: number, nodes: number[]) => {
    service.panel.servers.set(
      panelUserId,
      nodes.map((node) => serverOn(node)),
    );
    const { secret } = await service.addKey({ user: await service.addUser({ panelUserId }) });
    await call('', secret);
    return secret;
  };
  const statesOf = async (key: string): Promise<{ state: string; reason: string | null }[]> =>
    (await call('/states', key)).body.states;
  const readiness = async () => (await service.callAt('GET', '/readyz')).body.parts.panel;

  async function expectServed(identifier: string, key: string) {
    const detail = call(`/${identifier}`, key);
    const answers = await Promise.all([call('', key), detail, power(identifier, key)]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 202]);
    expect((await statesOf(key)).map(({ state }) => state)).to.deep.equal(['running']);
    service.clock.advance(20_000); // past the cache of states
  }

  it("answers another customer's lists, states and power at once, whatever the node's customer requests", async () => {
    service.panel.hangNodes(66);
    const asked = [
      ...Array.from({ length: 12 }, (_, index) =>
        call(`/n66s${String(index).padStart(2, '0')}/resources`, service.key),
      ),
      call('/states', service.key),
      ...Array.from({ length: 3 }, () => power('n66s00', service.key)),
      call('/n66s00/command', service.key, { command: 'list' }),
      call('/n66s00/backups', service.key, { name: 'Before' }),
    ];
    await expectServed('n1s00', service.otherUser);
    const answers = await Promise.all(asked);
    for (let count = 0; count < 5; count += 1) await expectServed('n1s00', service.otherUser);
    expect(service.panel.mostHeld(), 'workers held').to.be.within(1, 2);
    expect(answers.map(({ status }) => status)).to.deep.equal([
      ...Array(13).fill(200),
      ...Array(5).fill(502),
    ]);
    expect(await readiness()).to.equal('ok');
  });

  describe('on several nodes, while their customers use all places', () => {
    const backup = panelBackup();
    let customer: string;
    let owners: string[];
    beforeEach(async () => {
      service.panel.hangNodes(61, 62, 63, 64);
      owners = [await addCustomer(21, [61, 62]), await addCustomer(22, [63, 64])];
      customer = await addCustomer(23, [1, 2]);
      service.panel.backups.set('n1s00', [backup]);
      const signals = [61, 62, 63, 64].map((node, index) =>
        power(`n${node}s00`, owners[index < 2 ? 0 : 1] ?? ''),
      );
      await eventually(async () => expect(service.panel.heldCalls()).to.have.lengthOf(4));
      await Promise.all([...signals, ...owners.map(statesOf)]);
      expect(service.panel.heldCalls()).to.have.lengthOf(4);
    });

    it('answers lists, details and calls without a node with 200, and gives states as unknown with a reason', async () => {
      const own = [call('', customer), call('/n1s00', customer), call('/n1s00/resources', customer)];
      const others = [
        service.call('GET', '/tickets', { key: customer }),
        call('/n1s00/backups', customer),
        call(`/n1s00/backups/${backup.uuid}/download`, customer),
        call('/n2s00/console', customer),
      ];
      const answers = await Promise.all([...own, ...others]);
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(7).fill(200));
      const unknown = { state: 'unknown', reason: 'The panel is busy.' };
      expect(answers[2]?.body.resources).to.include(unknown);
      for (const state of await statesOf(customer)) expect(state).to.include(unknown);
      expect(service.panel.mostHeld()).to.equal(4);
      expect(await readiness()).to.equal('ok');
    });

    it('answers a write with 502, unsent, and says that the panel is busy and when to retry', async () => {
      service.panel.forget();
      const answers = await Promise.all([
        power('n1s00', customer),
        call('/n2s00/backups', customer, { name: 'Before' }),
      ]);
      for (const answer of answers) {
        expectError(answer, 'upstream_error', 'The panel is busy; try again later');
        expect(answer.headers.get('Retry-After')).to.equal('1');
      }
      service.panel.giveUpOnNodes();
      expect((await power('n1s00', customer)).status).to.equal(202);
      expect(service.panel.signals).to.deep.equal(['n1s00 start']);
    });

    it("answers others' power signals with 202 while customers keep sending to paused nodes", async () => {
      service.panel.giveUpOnNodes();
      await eventually(async () => expect(service.panel.heldCalls()).to.deep.equal([]));
      service.panel.servers.set(21, [serverOn(61, 1), serverOn(62, 1)]);
      service.panel.servers.set(22, [serverOn(63, 1), serverOn(64, 1)]);
      service.clock.advance(10_000); // past the cache of lists
      const signals = [61, 62, 63, 64].map((node, index) =>
        power(`n${node}s01`, owners[index < 2 ? 0 : 1] ?? ''),
      );
      await eventually(async () => expect(service.panel.heldCalls()).to.have.lengthOf(3));
      expect((await power('n1s00', customer)).status).to.equal(202);
      expect((await Promise.all(signals)).map(({ status }) => status)).to.deep.equal(Array(4).fill(502));
      expect(service.panel.heldCalls()).to.have.lengthOf(3);
    });
  });

  it('answers 502 to a signal without an answer of the node, and says that it may have been carried out', async () => {
    service.panel.hangNodes(66);
    expectError(
      await power('n66s00', service.key),
      'upstream_error',
      'The machine that hosts the server did not answer in time; the signal may or may not have been carried out',
    );
  });

  it('tries the slow node with one call at a time after pauses that double, until it answers', async () => {
    const busy = 'The machine that hosts the server is too busy to answer; try again later';
    const ask = async () => {
      const reads = [0, 1, 2, 3].map((index) => call(`/n67s0${index}/resources`, service.key));
      return (await Promise.all(reads)).map(({ body }) => body.resources.state);
    };
    const heldAfter = async (pauseMs: number) => {
      service.clock.advance(pauseMs);
      await ask();
      return service.panel.heldCalls().length;
    };
    /** The panel has given up, and calls to the node pause for this number of seconds. */
    const untilLeftAlone = async (seconds: number) => {
      service.panel.giveUpOnNodes();
      await eventually(async () => {
        const refused = await call('/n67s00/files', service.key);
        expectError(refused, 'upstream_error', busy);
        expect(Number(refused.headers.get('Retry-After'))).to.be.within(seconds / 2, seconds);
      });
    };
    service.panel.servers.set(
      7,
      [0, 1, 2, 3].map((index) => serverOn(67, index)),
    );
    service.panel.hangNodes(67);
    expect(await heldAfter(0)).to.equal(2);
    await untilLeftAlone(60);
    expect([await heldAfter(30_000), await heldAfter(30_000)]).to.deep.equal([0, 1]);
    await untilLeftAlone(120);
    expect([await heldAfter(60_000), await heldAfter(60_000)]).to.deep.equal([0, 1]);
    await untilLeftAlone(240);
    service.panel.hangNodes();
    service.clock.advance(240_000);
    expect(await ask()).to.deep.equal(Array(4).fill('running'));
  });
});
