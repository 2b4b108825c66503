/** The one queue: a few entries run at once, and the others wait their turn within bounds. */

export interface QueueOptions<Entry = void> {
  runningMax?: number;
  mayRunWith?(running: readonly Entry[], entry: Entry): boolean;
  isUrgent?(entry: Entry): boolean;
  onBegin?(entry: Entry): void;
  waitingMax?: number;
  waitMsMax?: number;
  /** Creates the error for an entry that gets no slot. */
  createError?(reason: string): Error;
}

interface Waiting<Entry> {
  entry: Entry;
  resume(): void;
}

/** We do not use p-queue, because it knows how many entries run but not which. */
export class Queue<Entry = void> {
  readonly #options: QueueOptions<Entry>;
  readonly #running: Entry[] = [];
  readonly #waiting: Waiting<Entry>[] = [];

  constructor(options: QueueOptions<Entry>) {
    this.#options = options;
  }

  get running(): readonly Entry[] {
    return this.#running;
  }

  /** @throws the error of `createError`, without starting the work */
  async run<Result>(work: (hasWaited: boolean) => Promise<Result>, entry: Entry): Promise<Result> {
    const hasWaited = !this.tryAcquire(entry);
    if (hasWaited) await this.#wait(entry);
    try {
      return await work(hasWaited);
    } finally {
      this.release(entry);
    }
  }

  /** @throws the error of `createError` if `run` would */
  requireCapacity(entry: Entry): void {
    const { waitingMax = Number.POSITIVE_INFINITY } = this.#options;
    if (!this.#mayRun(entry) && this.#waiting.length >= waitingMax)
      throw this.#refuse('too many are waiting');
  }

  /** Takes a slot until `release`; returns false when none is free. */
  tryAcquire(entry: Entry): boolean {
    const isFree = this.#mayRun(entry);
    if (isFree) this.#begin(entry);
    return isFree;
  }

  release(entry: Entry): void {
    remove(this.#running, entry);
    for (let next = this.#findNext(); next; next = this.#findNext()) {
      remove(this.#waiting, next);
      this.#begin(next.entry);
      next.resume();
    }
  }

  get #isFull(): boolean {
    return this.#running.length >= (this.#options.runningMax ?? Number.POSITIVE_INFINITY);
  }

  #mayRun(entry: Entry): boolean {
    return !this.#isFull && (this.#options.mayRunWith?.(this.#running, entry) ?? true);
  }

  #findNext(): Waiting<Entry> | undefined {
    if (this.#isFull) return undefined;
    const { isUrgent } = this.#options;
    const urgent = isUrgent && this.#waiting.find(({ entry }) => isUrgent(entry) && this.#mayRun(entry));
    return urgent ?? this.#waiting.find(({ entry }) => this.#mayRun(entry));
  }

  #begin(entry: Entry): void {
    this.#running.push(entry);
    this.#options.onBegin?.(entry);
  }

  #wait(entry: Entry): Promise<void> {
    this.requireCapacity(entry);
    const { waitMsMax } = this.#options;
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        remove(this.#waiting, waiting);
        reject(this.#refuse('no slot became free in time'));
      };
      const timer = waitMsMax === undefined ? undefined : setTimeout(giveUp, waitMsMax);
      const resume = () => {
        clearTimeout(timer);
        // Waits one turn of the event loop, so that the previous entry's response is charged to its user first.
        setImmediate(resolve);
      };
      const waiting = { entry, resume };
      this.#waiting.push(waiting);
    });
  }

  #refuse(reason: string): Error {
    return this.#options.createError?.(reason) ?? new Error(reason);
  }
}

export function limitByKey<Key>(options: QueueOptions) {
  const queues = new Map<Key, Queue>();
  return async function run<Result>(
    key: Key,
    work: (hasWaited: boolean) => Promise<Result>,
  ): Promise<Result> {
    const queue = queues.get(key) ?? new Queue(options);
    queues.set(key, queue);
    try {
      return await queue.run(work);
    } finally {
      // Another queue may have started since the last entry of this one ended.
      if (queue.running.length === 0 && queues.get(key) === queue) queues.delete(key);
    }
  };
}

/** Like `Promise.all(items.map(work))`, with a few items at once. */
export function mapWithin<Item, Result>(
  runningMax: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const queue = new Queue({ runningMax });
  return Promise.all(items.map((item) => queue.run(() => work(item))));
}

function remove<Item>(items: Item[], item: Item): void {
  const index = items.indexOf(item);
  if (index !== -1) items.splice(index, 1);
}
