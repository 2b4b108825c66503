/**
 * The gate in front of every call that makes the panel reach a node: a panel has few workers, and a call to a node that
 * hangs holds one for 15 s. What exceeds the bounds waits here, for a short time, and not in the panel's queue.
 */
import { TimeoutError, withTimeout } from '../limit/with-timeout.ts';
import { isWorking, PanelFailure, panelOutcome } from './failures.ts';
import type { PanelSettings } from './options.ts';

interface GateBounds {
  /** Calls in progress. */
  total: number;
  /** Of these to one node, and of one customer. */
  each: number;
}

interface GateCall {
  server: { nodeId: number | null; ownerId: number };
  /** Goes before all reads that wait. */
  isWrite: boolean;
  /** Whether its answer comes from the node, and shows how fast that is. */
  needsNode: boolean;
}

interface Waiting {
  call: GateCall;
  begin(): void;
}

/** More are refused at once: each looks through the others. */
const waitingMax = 1_000;

type GateSettings = Pick<PanelSettings, 'clock' | 'log' | 'queueMs' | 'slowMs' | 'pauseMs'>;

export class NodeGate {
  readonly #bounds: GateBounds;
  readonly #queueMs: number;
  readonly #nodes: SlowNodes;
  #running: GateCall[] = [];
  #waiting: Waiting[] = [];

  constructor(bounds: GateBounds, settings: GateSettings) {
    this.#bounds = bounds;
    this.#queueMs = settings.queueMs;
    this.#nodes = new SlowNodes(settings);
  }

  /**
   * The call keeps its place until it has ended, however long its caller waits.
   * @throws {PanelFailure} `busy` or `nodeBusy`, without having made the call
   */
  async run<Value>(call: GateCall, send: () => Promise<Value>): Promise<Value> {
    await this.#enter(call);
    try {
      return await (call.needsNode ? this.#nodes.watch(call.server.nodeId, send) : send());
    } finally {
      this.#running.splice(this.#running.indexOf(call), 1);
      this.#beginNext();
    }
  }

  async #enter(call: GateCall) {
    if (call.needsNode) this.#nodes.refuseResting(call.server.nodeId);
    if (this.#mayBegin(call)) this.#running.push(call);
    else if (this.#waiting.length < waitingMax) await this.#wait(call);
    else throw this.#busy('too many wait');
  }

  #mayBegin({ server: { nodeId, ownerId }, needsNode }: GateCall) {
    const { total, each } = this.#bounds;
    const ofNode = this.#running.filter(({ server }) => server.nodeId === nodeId).length;
    const ofOwner = this.#running.filter(({ server }) => server.ownerId === ownerId).length;
    const isNodeFree = !needsNode || this.#nodes.mayAsk(nodeId, ofNode);
    return this.#running.length < total && ofNode < each && ofOwner < each && isNodeFree;
  }

  #beginNext() {
    const ready = this.#waiting.filter(({ call }) => this.#mayBegin(call));
    const next = ready.find(({ call }) => call.isWrite) ?? ready[0];
    if (!next) return;
    this.#leave(next);
    this.#running.push(next.call);
    next.begin();
    // An answer of a slow node lets two begin.
    this.#beginNext();
  }

  #leave(entry: Waiting) {
    this.#waiting = this.#waiting.filter((other) => other !== entry);
  }

  #wait(call: GateCall): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#leave(entry);
        reject(this.#busy('no place became free in time'));
      };
      const timer = setTimeout(giveUp, this.#queueMs);
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const entry = { call, begin };
      this.#waiting.push(entry);
    });
  }

  #busy(reason: string) {
    return new PanelFailure('busy', { reason }, this.#queueMs);
  }
}

interface Slow {
  pauseMs: number;
  /** Infinity: a call is still unanswered. */
  askAt: number;
}

/** Nodes that did not answer in time: each is asked by one call at a time, after pauses that grow. */
class SlowNodes {
  readonly #settings: GateSettings;
  readonly #slow = new Map<number | null, Slow>();

  constructor(settings: GateSettings) {
    this.#settings = settings;
  }

  /** @throws {PanelFailure} `nodeBusy` while a slow node is not to be asked */
  refuseResting(nodeId: number | null) {
    const { clock, pauseMs } = this.#settings;
    const waitMs = (this.#slow.get(nodeId)?.askAt ?? 0) - clock();
    if (waitMs > 0)
      throw new PanelFailure('nodeBusy', { reason: 'it is slow' }, Math.min(waitMs, pauseMs.longest));
  }

  mayAsk(nodeId: number | null, running: number) {
    const slow = this.#slow.get(nodeId);
    return !slow || (running === 0 && this.#settings.clock() >= slow.askAt);
  }

  async watch<Value>(nodeId: number | null, send: () => Promise<Value>): Promise<Value> {
    let isSlow = false;
    const answer = send();
    withTimeout(this.#settings.slowMs, answer).catch((error: unknown) => {
      if (!(error instanceof TimeoutError)) return;
      isSlow = true;
      this.#begin(nodeId);
    });
    try {
      const value = await answer;
      if (!isSlow) this.#slow.delete(nodeId);
      return value;
    } catch (error) {
      if (!isSlow && isWorking(panelOutcome(error))) this.#slow.delete(nodeId);
      throw error;
    } finally {
      if (isSlow) this.#rest(nodeId);
    }
  }

  #begin(nodeId: number | null) {
    const known = this.#slow.get(nodeId);
    if (!known) this.#settings.log.warn({ nodeId }, 'A node is slow: it is asked by one call at a time');
    this.#slow.set(nodeId, { pauseMs: known?.pauseMs ?? 0, askAt: Number.POSITIVE_INFINITY });
  }

  #rest(nodeId: number | null) {
    const known = this.#slow.get(nodeId);
    // Another call of the same time has begun the pause.
    if (known && known.askAt !== Number.POSITIVE_INFINITY) return;
    const { shortest, longest } = this.#settings.pauseMs;
    const pauseMs = Math.min(Math.max(2 * (known?.pauseMs ?? 0), shortest), longest);
    this.#slow.set(nodeId, { pauseMs, askAt: this.#settings.clock() + pauseMs });
  }
}
