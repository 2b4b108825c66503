/** Windows that Redis reported as full: until one ends, its calls are refused without asking again. */
import { type Count, windowMs } from './counter.ts';
import type { Take } from './redis-counter.ts';

interface FullWindow {
  max: number;
  count: Count;
  reportedAt: number;
}

/** Time since the report decides, as the clock of Redis may differ from ours. */
export class FullWindows {
  readonly #byId = new Map<string, FullWindow>();
  #sweepAt = 0;

  report({ id, max }: Take, count: Count): void {
    if (count.left > 0) return void this.#byId.delete(id);
    const reportedAt = performance.now();
    this.#sweep(reportedAt);
    this.#byId.set(id, { max, count, reportedAt });
  }

  /** The refusal of a call; null where only Redis knows. */
  refusalOf({ id, calls, max }: Take): Count | null {
    const full = this.#byId.get(id);
    if (!full || calls <= 0 || full.max !== max) return null;
    const { secondsLeft, resetSeconds } = full.count;
    const elapsedSeconds = (performance.now() - full.reportedAt) / 1000;
    // The seconds are rounded up, so the window may end during the last one.
    if (elapsedSeconds > secondsLeft - 1) return null;
    return { fits: false, left: 0, resetSeconds, secondsLeft: secondsLeft - Math.floor(elapsedSeconds) };
  }

  /** Forgets ended windows, once in a window's time. */
  #sweep(now: number): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + windowMs;
    for (const [id, { count, reportedAt }] of this.#byId)
      if (now > reportedAt + count.secondsLeft * 1000) this.#byId.delete(id);
  }
}
