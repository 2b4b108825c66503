/** The order of calls in the gate, the effect of a node's time-out, and the longest wait of a caller. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { panelDefaults } from '../../../server/panel/options.ts';
import { eventually } from '../../support/eventually.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { identifier, located, ownerId, refusalOf, usePanelTest } from './start-panel-test.ts';

describe('the panel client with busy nodes', () => {
  const minute = 60_000;
  const test = usePanelTest({
    ...{ nodeCalls: 1, queueMs: minute, slowMs: minute, liveWaitMs: minute, writeWaitMs: minute },
  });

  it('sends a write before reads that wait', async () => {
    const on = (node: number) => located(`server${node}`, { nodeId: node, ownerId: node });
    for (const node of [1, 2, 3, 4])
      test.standIn.servers.set(node, [panelServer({ identifier: `server${node}`, node })]);
    test.standIn.hangNodes(1);
    const held = test.panel.getResources(on(1), 'req-1');
    await eventually(async () => expect(test.standIn.heldCalls()).to.have.lengthOf(1));
    const reads = [2, 3].map((node) => test.panel.getResources(on(node), 'req-1'));
    await turn();
    const write = test.panel.sendPower(on(4), 'start', 'req-1');
    await turn();
    test.standIn.giveUpOnNodes();
    await Promise.all([held, ...reads, write]);
    const order = test.standIn.requests.map(({ path }) => path.split('/').slice(-2).join(' '));
    expect(order.slice(1)).to.deep.equal(['server4 power', 'server2 resources', 'server3 resources']);
  });

  it('answers a customer within 15 seconds, and a write within 25, whatever hangs', () => {
    const { readTotalMs, liveWaitMs, consoleWaitMs, writeWaitMs, queueMs } = panelDefaults;
    // A list decides ownership; a download lists the backups before it makes a link.
    expect(readTotalMs + Math.max(2 * liveWaitMs, consoleWaitMs)).to.be.at.most(15_000);
    expect(readTotalMs + writeWaitMs).to.be.at.most(25_000);
    expect(queueMs, 'the client must not send an abandoned write later').to.be.below(writeWaitMs);
  });
});

describe("the panel client's circuit", () => {
  const pauseMs = { shortest: 0, longest: 0 };
  const test = usePanelTest({ failureThreshold: 3, clientTimeoutMs: 50, slowMs: 10, pauseMs });
  const others = located('e5f6a7b8', { nodeId: 2, ownerId: 8 });

  beforeEach(() => test.standIn.servers.set(8, [panelServer({ identifier: others.identifier, node: 2 })]));

  for (const [what, behaviour] of [
    ['that the panel never ends', 'hang'],
    ['that a proxy ends with 504', { status: 504, body: '<h1>Gateway time-out</h1>' }],
    ['that a proxy ends with 524', { status: 524, body: '<h1>A timeout occurred</h1>' }],
  ] as const)
    it(`stays closed after time-outs of a node: calls ${what}`, async () => {
      test.standIn.respondWith(behaviour);
      for (let count = 0; count < 4; count += 1) {
        await refusalOf(test.power());
        await refusalOf(
          test.panel.createBackup(located(identifier), { name: 'Before', earlierTryAt: null }, 'req-1'),
        );
        expect((await test.panel.getResources(located(identifier), 'req-1')).state).to.equal('unknown');
        test.advance(20_000);
      }
      test.standIn.recover();
      await test.panel.sendPower(others, 'start', 'req-1');
      expect(await test.list(ownerId)).to.have.lengthOf(1);
      expect(test.standIn.signals).to.include('e5f6a7b8 start');
    });
});
