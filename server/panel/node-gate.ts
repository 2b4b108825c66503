/**
 * The gate in front of every call that a customer causes. A panel has few workers, and a call to a node that hangs holds one for
 * 15 s. Calls beyond the bounds wait here, for a short time, and not in the panel's queue.
 */
import type { Evidence } from './evidence.ts';
import { PanelFailure } from './failures.ts';
import type { CompleteOptions } from './options.ts';
import { mayTakeLong, type PanelCall } from './panel-call.ts';

interface GateBounds {
  /**
   * Calls in progress that need a node, and as many about servers that need none: they go on while nodes hang. To one node goes
   * one less, so that a node which hangs never has all places.
   */
  total: number;
  /** Calls of one customer, of all kinds together. */
  ofOwner: number;
}

interface Waiting {
  call: PanelCall;
  begin(): void;
}

/** More are refused at once: each looks through the others. */
const waitingMax = 1_000;

export class NodeGate {
  readonly #bounds: GateBounds;
  readonly #queueMs: number;
  readonly #evidence: Evidence;
  #running: PanelCall[] = [];
  /** Those that began while their node was slow. */
  readonly #probes = new Set<PanelCall>();
  #waiting: Waiting[] = [];

  constructor(
    bounds: GateBounds,
    { queueMs, evidence }: Pick<CompleteOptions, 'queueMs'> & { evidence: Evidence },
  ) {
    this.#bounds = bounds;
    this.#queueMs = queueMs;
    this.#evidence = evidence;
  }

  /**
   * The call keeps its place until it has ended, however long its caller waits.
   * @throws {PanelFailure} without having made the call, where it may not go now or no place is free
   */
  async run<Value>(call: PanelCall, send: () => Promise<Value>): Promise<Value> {
    this.#evidence.require(call);
    if (ownerOf(call) === null) return send();
    await this.#enter(call);
    try {
      return await send();
    } finally {
      this.#running.splice(this.#running.indexOf(call), 1);
      this.#probes.delete(call);
      this.#beginNext();
    }
  }

  async #enter(call: PanelCall) {
    if (this.#mayBegin(call)) this.#begin(call);
    else if (this.#waiting.length < waitingMax) await this.#wait(call);
    else throw this.#busy('too many wait');
  }

  #begin(call: PanelCall) {
    this.#running.push(call);
    if (this.#evidence.isOfSlowNode(call)) this.#probes.add(call);
  }

  #mayBegin(call: PanelCall) {
    const { total, ofOwner } = this.#bounds;
    const isOfOwner = (other: PanelCall) => ownerOf(other) === ownerOf(call);
    if (this.#running.filter(isOfOwner).length >= ofOwner) return false;
    if (!call.server) return true;
    const alike = this.#running.filter(({ server, needsNode }) => server && needsNode === call.needsNode);
    const ofNode = alike.filter(({ server }) => server?.nodeId === call.server?.nodeId);
    return (
      fits(call, alike, total) &&
      ofNode.length < Math.max(1, total - 1) &&
      fits(call, alike.filter(isOfOwner), ofOwner) &&
      this.#leavesPlace(call, alike) &&
      this.#evidence.mayRunWith({ running: this.#running, probes: [...this.#probes] }, call)
    );
  }

  /** However many nodes are left alone, one place is for the others. */
  #leavesPlace(call: PanelCall, alike: readonly PanelCall[]) {
    const ofSlowNodes = alike.filter((other) => this.#evidence.isOfSlowNode(other));
    return !this.#evidence.isLeftAlone(call) || ofSlowNodes.length < Math.max(1, this.#bounds.total - 1);
  }

  #beginNext() {
    const ready = this.#waiting.filter(({ call }) => this.#mayBegin(call));
    // A list comes before each write.
    const next = ready.find(({ call }) => call.isWrite || !call.server) ?? ready[0];
    if (!next) return;
    this.#leave(next);
    this.#begin(next.call);
    next.begin();
    // An answer of a slow node lets two begin.
    this.#beginNext();
  }

  #leave(entry: Waiting) {
    this.#waiting = this.#waiting.filter((other) => other !== entry);
  }

  #wait(call: PanelCall): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry = { call, begin };
      const timer = setTimeout(() => {
        this.#leave(entry);
        reject(this.#busy('no place became free in time'));
      }, this.#queueMs);
      function begin() {
        clearTimeout(timer);
        resolve();
      }
      this.#waiting.push(entry);
    });
  }

  #busy(reason: string) {
    return new PanelFailure('busy', { reason }, this.#queueMs);
  }
}

/** Null where no customer causes the call. */
const ownerOf = ({ server, customerId }: PanelCall) => server?.ownerId ?? customerId;

/** Calls that may take long leave a place to the others. */
const fits = (call: PanelCall, others: readonly PanelCall[], most: number) =>
  others.length < most && (!mayTakeLong(call) || others.filter(mayTakeLong).length < Math.max(1, most - 1));
