/**
 * The few workers of a panel and nodes that hang: a call that needs such a node holds its worker until the panel gives up,
 * even where its caller has gone.
 */
import pLimit from 'p-limit';
import { type PanelAnswer, type PanelCall, refusal } from '../../server/panel/demo/answers.ts';
import { type EmulatedPanel, findEmulatedServer } from '../../server/panel/demo/emulated-panel.ts';

export function createWorkers(panel: EmulatedPanel) {
  const limit = pLimit(1_000);
  const hanging = new Set<number>();
  const held = new Set<{ call: PanelCall; giveUp(): void }>();
  let most = 0;

  const hold = (call: PanelCall) =>
    new Promise<void>((resolve) => {
      const entry = { call, giveUp: resolve };
      held.add(entry);
      most = Math.max(most, held.size);
    });

  return {
    /** Does the work of a call with a worker; an answer of its own where the call's node hangs. */
    run: (call: PanelCall, work: (answer: PanelAnswer | null) => Promise<unknown>) =>
      limit(async () => {
        const node = nodeOf(call, panel);
        if (node === null || !hanging.has(node)) return work(null);
        await hold(call);
        return work(refusal(504, 'DaemonConnectionException'));
      }),
    controls: {
      limitWorkers(count: number) {
        limit.concurrency = count;
      },
      /** Only these nodes hang from now on; calls that wait for another go on waiting. */
      hangNodes(...nodes: number[]) {
        hanging.clear();
        for (const node of nodes) hanging.add(node);
        most = held.size;
      },
      /** The panel has waited long enough for its nodes. */
      giveUpOnNodes() {
        for (const { giveUp } of held) giveUp();
        held.clear();
      },
      /** The paths of the calls that hold a worker now. */
      heldCalls: () => [...held].map(({ call }) => call.path),
      /** The most that were held at once since the nodes began to hang. */
      mostHeld: () => most,
    },
  };
}

/** As a real panel does: lists of backups, their links and tokens of consoles need no node. */
const needNode = [
  ...['GET resources', 'POST power', 'POST command', 'POST backups'],
  ...['DELETE backups/UUID', 'POST backups/UUID/restore'],
];

function nodeOf({ method, path }: PanelCall, panel: EmulatedPanel): number | null {
  const [, identifier = '', rest = ''] = /^\/api\/client\/servers\/([^/]+)\/([^?]+)/.exec(path) ?? [];
  if (!needNode.includes(`${method} ${rest.replace(/(?<=^backups\/)[^/]+/, 'UUID')}`)) return null;
  return findEmulatedServer(identifier, panel)?.node ?? null;
}
