/** Counts the audit's entries for the summary of activity: every half minute, and in any process those of one that died. */
import type { ActivityCounts } from '../../models/activity-count.ts';
import type { Log } from './log.ts';

/** At each count a key in use costs two updates, however many calls it made. */
const countIntervalMs = 30_000;

export class ActivityCounter {
  readonly #counts: ActivityCounts;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #counting: Promise<void> = Promise.resolve();

  constructor(counts: ActivityCounts, log: Log) {
    this.#counts = counts;
    this.#log = log;
    this.#timer = setInterval(() => {
      void this.count();
      void this.#run(() => counts.countAbandoned(new Date()));
    }, countIntervalMs).unref();
  }

  /** Counts what this process has stored. */
  count(): Promise<void> {
    return this.#run(() => this.#counts.countOwn(new Date()));
  }

  /** The last count. */
  close(): Promise<void> {
    clearInterval(this.#timer);
    return this.count();
  }

  /** One at a time; what fails is counted the next time, by this process or another. */
  #run(work: () => Promise<void>): Promise<void> {
    this.#counting = this.#counting
      .then(work)
      .catch((err) => this.#log.warn({ err }, 'Calls could not be counted and will be later'));
    return this.#counting;
  }
}
