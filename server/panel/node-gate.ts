/**
 * The gate in front of every call that makes the panel reach a node: a panel has few workers, and a call to a node that
 * hangs holds one for 15 s. What exceeds the bounds waits here, for a short time, and not in the panel's queue.
 */

import { PanelFailure } from './failures.ts';
import { mayTakeLong, type PanelCall } from './panel-call.ts';
import type { PanelSettings } from './settings.ts';

interface GateBounds {
  /** Calls in progress. To one node goes one less, so that a node which hangs never has all places. */
  total: number;
  /** Of one customer; of calls of the panel that may take long, one less. */
  ofOwner: number;
}

/** About a server: writes go before all reads that wait. */
type GateCall = PanelCall & { server: NonNullable<PanelCall['server']> };

interface Waiting {
  call: GateCall;
  begin(): void;
}

/** More are refused at once: each looks through the others. */
const waitingMax = 1_000;

export class NodeGate {
  readonly #bounds: GateBounds;
  readonly #queueMs: number;
  readonly #evidence: PanelSettings['evidence'];
  #running: GateCall[] = [];
  #waiting: Waiting[] = [];

  constructor(bounds: GateBounds, { queueMs, evidence }: PanelSettings) {
    this.#bounds = bounds;
    this.#queueMs = queueMs;
    this.#evidence = evidence;
  }

  /**
   * The call keeps its place until it has ended, however long its caller waits.
   * @throws {PanelFailure} without having made the call, where it may not go now or no place is free
   */
  async run<Value>(call: GateCall, send: () => Promise<Value>): Promise<Value> {
    await this.#enter(call);
    try {
      return await send();
    } finally {
      this.#running.splice(this.#running.indexOf(call), 1);
      this.#beginNext();
    }
  }

  async #enter(call: GateCall) {
    this.#evidence.require(call);
    if (this.#mayBegin(call)) this.#running.push(call);
    else if (this.#waiting.length < waitingMax) await this.#wait(call);
    else throw this.#busy('too many wait');
  }

  #mayBegin(call: GateCall) {
    const { total, ofOwner } = this.#bounds;
    const most = Math.max(1, total - 1);
    const { nodeId, ownerId } = call.server;
    const ofNode = this.#running.filter(({ server }) => server.nodeId === nodeId);
    const ofSame = this.#running.filter(({ server }) => server.ownerId === ownerId);
    const long = this.#running.filter(mayTakeLong);
    const longOfSame = long.filter(({ server }) => server.ownerId === ownerId);
    const isLongPossible = long.length < most && longOfSame.length < ofOwner - 1;
    return (
      this.#running.length < total &&
      ofNode.length < most &&
      ofSame.length < ofOwner &&
      (!mayTakeLong(call) || isLongPossible) &&
      this.#evidence.mayGoBeside(this.#running, call)
    );
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
