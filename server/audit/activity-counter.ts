/** Stores the sums of calls every ten seconds, and at the end. */
import type { ActivityCounts } from '../../models/activity-count.ts';
import type { Log } from '../observability/log.ts';

/** At each time a key in use costs two updates, however many calls it made. */
const storeIntervalMs = 10_000;

export class ActivityCounter {
  readonly #counts: ActivityCounts;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #storing: Promise<void> = Promise.resolve();

  constructor(counts: ActivityCounts, log: Log) {
    this.#counts = counts;
    this.#log = log;
    this.#timer = setInterval(() => void this.#store(), storeIntervalMs).unref();
  }

  close(): Promise<void> {
    clearInterval(this.#timer);
    return this.#store();
  }

  /** One at a time. */
  #store(): Promise<void> {
    this.#storing = this.#storing
      .then(() => this.#counts.store())
      .catch((err) => this.#log.warn({ err }, 'Sums of calls could not be stored and will be later'));
    return this.#storing;
  }
}
