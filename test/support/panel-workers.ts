/**
 * A panel's few workers with hanging nodes: a call that needs a hanging node holds its worker until the panel gives up,
 * even after its caller has left.
 */
import { Queue } from '../../models/support/queue.ts';
import type { ReceivedRequest } from '../../server/panel/demo/answers.ts';
import { type EmulatedPanel, findEmulatedServer } from './panel/emulated-panel.ts';

export function createWorkers(panel: EmulatedPanel) {
  let workersMax = 1_000;
  const workers = new Queue({ mayRunWith: ({ length }) => length < workersMax });
  const hanging = new Set<number>();
  const held = new Set<{ call: ReceivedRequest; giveUp(): void }>();
  let most = 0;

  const hold = (call: ReceivedRequest) =>
    new Promise<void>((resolve) => {
      const entry = { call, giveUp: resolve };
      held.add(entry);
      most = Math.max(most, held.size);
    });

  return {
    /** Processes a call in a worker; if its node hangs, later, with a panel that sees the node as dead. */
    run: (call: ReceivedRequest, work: (gaveUp: EmulatedPanel | null) => Promise<unknown>) =>
      workers.run(async () => {
        const node = nodeOf(call, panel);
        if (!isOfPipe(call, panel) && (node === null || !hanging.has(node))) return work(null);
        await hold(call);
        const deadNodes = new Set([...panel.conditions.deadNodes, ...(node === null ? [] : [node])]);
        return work({ ...panel, conditions: { ...panel.conditions, deadNodes } });
      }),
    controls: {
      limitWorkers(count: number) {
        workersMax = count;
      },
      /** Only these nodes hang from now on; calls to other hanging nodes continue to wait. */
      hangNodes(...nodes: number[]) {
        hanging.clear();
        for (const node of nodes) hanging.add(node);
        most = held.size;
      },
      giveUpOnNodes() {
        for (const { giveUp } of held) giveUp();
        held.clear();
      },
      heldCalls: () => [...held].map(({ call }) => call.path),
      /** The maximum of held calls since the nodes began to hang. */
      mostHeld: () => most,
    },
  };
}

/** Besides calls about files. Lists of backups, links and console tokens need no node. */
const needNode = [
  ...['GET resources', 'POST power', 'POST command', 'POST backups'],
  ...['DELETE backups/UUID', 'POST backups/UUID/restore', 'POST settings/reinstall'],
];

function nodeOf({ method, path }: ReceivedRequest, panel: EmulatedPanel): number | null {
  const [, identifier = '', rest = ''] = /^\/api\/client\/servers\/([^/]+)\/([^?]+)/.exec(path) ?? [];
  const route = `${method} ${rest.replace(/(?<=^backups\/)[^/]+/, 'UUID')}`;
  const isOfFiles = /^files\/(?!(download|upload)$)/.test(rest);
  // Pelican gives up on figures at once.
  const isCheap = route === 'GET resources' && panel.dialect === 'pelican';
  if (isCheap || !(isOfFiles || needNode.includes(route))) return null;
  return findEmulatedServer(identifier, panel)?.node ?? null;
}

/** Opening a pipe waits for its other end. */
function isOfPipe({ path }: ReceivedRequest, panel: EmulatedPanel): boolean {
  const [, identifier] = /^\/api\/client\/servers\/([^/]+)\/files\/(?:contents|write)\?/.exec(path) ?? [];
  const server = identifier ? findEmulatedServer(identifier, panel) : undefined;
  const file = new URLSearchParams(path.split('?')[1]).get('file') ?? '';
  return server !== undefined && panel.filesOf(server).get(file)?.kind === 'pipe';
}
