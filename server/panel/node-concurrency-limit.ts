/** Lets in a bounded number of calls at once, and few of each node, so that a dead node does not stop calls to others. */
import { PanelFailure } from './failures.ts';

interface NodeConcurrencyLimitOptions {
  /** Calls at once. */
  total: number;
  /** Calls to one node at once; read whenever one may begin. */
  perNode(nodeId: NodeId): number;
  /** More are refused. */
  waitingMax: number;
}

type NodeId = number | null;

interface Waiting {
  nodeId: NodeId;
  begin(): void;
}

export class NodeConcurrencyLimit {
  readonly #options: NodeConcurrencyLimitOptions;
  readonly #running = new Map<NodeId, number>();
  #count = 0;
  #waiting: Waiting[] = [];

  constructor(options: NodeConcurrencyLimitOptions) {
    this.#options = options;
  }

  /**
   * @param signal ends the waiting, not the call
   * @throws {PanelFailure} `busy`, without having made the call
   */
  async run<Value>(nodeId: NodeId, signal: AbortSignal, call: () => Promise<Value>): Promise<Value> {
    if (this.#hasPlace(nodeId)) this.#add(nodeId, 1);
    else if (this.#waiting.length >= this.#options.waitingMax || signal.aborted)
      throw new PanelFailure('busy', { reason: 'too many wait' });
    else await this.#wait(nodeId, signal);
    try {
      return await call();
    } finally {
      this.#add(nodeId, -1);
      this.#beginNext();
    }
  }

  #hasPlace(nodeId: NodeId) {
    const { total, perNode } = this.#options;
    return this.#count < total && (this.#running.get(nodeId) ?? 0) < perNode(nodeId);
  }

  #add(nodeId: NodeId, change: 1 | -1) {
    this.#count += change;
    const left = (this.#running.get(nodeId) ?? 0) + change;
    if (left === 0) this.#running.delete(nodeId);
    else this.#running.set(nodeId, left);
  }

  /** In the order of coming, where the node allows it. */
  #beginNext() {
    const next = this.#waiting.find(({ nodeId }) => this.#hasPlace(nodeId));
    if (!next) return;
    this.#leave(next);
    next.begin();
  }

  #leave(entry: Waiting) {
    this.#waiting = this.#waiting.filter((candidate) => candidate !== entry);
  }

  #wait(nodeId: NodeId, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#leave(entry);
        reject(new PanelFailure('busy', { reason: 'no place became free in time' }));
      };
      const begin = () => {
        signal.removeEventListener('abort', giveUp);
        this.#add(nodeId, 1);
        resolve();
      };
      const entry = { nodeId, begin };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(entry);
    });
  }
}
