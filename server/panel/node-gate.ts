/** Limits concurrent calls that customers cause: a call to a node that hangs holds one of the panel's few workers for 15 s. */
import { Queue } from '../../models/support/queue.ts';
import type { Evidence } from './evidence.ts';
import { PanelFailure } from './failures.ts';
import type { CompleteOptions } from './options.ts';
import { mayTakeLong, type PanelCall } from './panel-call.ts';

interface GateBounds {
  /**
   * Concurrent calls that need a node. The same number of calls about servers that need no node may also run, so that they
   * continue while nodes hang. A single node gets one call fewer, so that a hanging node never takes all places.
   */
  total: number;
  ofOwner: number;
}

/** Further calls are refused at once, because each waiting call is compared with the others. */
const waitingMax = 1_000;

export class NodeGate {
  readonly #bounds: GateBounds;
  readonly #evidence: Evidence;
  readonly #queue: Queue<PanelCall>;
  readonly #probes = new WeakSet<PanelCall>();

  constructor(
    bounds: GateBounds,
    { queueMs, evidence }: Pick<CompleteOptions, 'queueMs'> & { evidence: Evidence },
  ) {
    this.#bounds = bounds;
    this.#evidence = evidence;
    this.#queue = new Queue({
      mayRunWith: (running, call) => this.#mayRunWith(running, call),
      // Calls about no server are urgent too: every write needs a list of servers first.
      isUrgent: (call) => call.isWrite || !call.server,
      onBegin: (call) => {
        if (evidence.isOfSlowNode(call)) this.#probes.add(call);
      },
      waitingMax,
      waitMsMax: queueMs,
      createError: (reason) => new PanelFailure('busy', { reason }, queueMs),
    });
  }

  /** The call keeps its place until it has ended, however long its caller waits. */
  async run<Value>(call: PanelCall, send: () => Promise<Value>): Promise<Value> {
    this.#evidence.requireAllowed(call);
    if (ownerOf(call) === null || call.server?.mustGo) return send();
    return this.#queue.run(send, call);
  }

  #mayRunWith(running: readonly PanelCall[], call: PanelCall) {
    const { total, ofOwner } = this.#bounds;
    const isOfOwner = (other: PanelCall) => ownerOf(other) === ownerOf(call);
    if (running.filter(isOfOwner).length >= ofOwner) return false;
    if (!call.server) return true;
    const alike = running.filter(({ server, needsNode }) => server && needsNode === call.needsNode);
    const probes = running.filter((other) => this.#probes.has(other));
    const ofNode = alike.filter(({ server }) => server?.nodeId === call.server?.nodeId);
    return (
      fits(call, alike, total) &&
      ofNode.length < Math.max(1, total - 1) &&
      fits(call, alike.filter(isOfOwner), ofOwner) &&
      this.#leavesPlace(call, alike) &&
      this.#evidence.mayRunWith({ running, probes }, call)
    );
  }

  /** However many nodes are paused, one place stays free for the other nodes. */
  #leavesPlace(call: PanelCall, alike: readonly PanelCall[]) {
    const ofSlowNodes = alike.filter((other) => this.#evidence.isOfSlowNode(other));
    return !this.#evidence.isOfPausedNode(call) || ofSlowNodes.length < Math.max(1, this.#bounds.total - 1);
  }
}

const ownerOf = ({ server, customerId }: PanelCall) => server?.ownerId ?? customerId;

/** Long calls always leave one place free for quick ones. */
const fits = (call: PanelCall, others: readonly PanelCall[], most: number) =>
  others.length < most && (!mayTakeLong(call) || others.filter(mayTakeLong).length < Math.max(1, most - 1));
