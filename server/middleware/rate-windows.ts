/**
 * What koa-ratelimit's memory driver keeps: one window per key in play, by our clock, in whole seconds, and
 * forgotten when it is over. On its own the driver never forgets, and tells fractional seconds.
 */
import type { Clock } from '../../routers/ports.ts';

/** A window as koa-ratelimit writes it; `reset` in seconds since the epoch. */
interface RateWindow {
  id: string;
  reset: number;
  remaining: number;
  total: number;
}

export class RateWindows extends Map<string, RateWindow> {
  readonly #durationMs: number;
  readonly #clock: Clock;
  #nextSweepMs = 0;

  constructor(durationMs: number, clock: Clock) {
    super();
    this.#durationMs = durationMs;
    this.#clock = clock;
  }

  override get(key: string): RateWindow | undefined {
    const window = super.get(key);
    if (window && this.#isOver(window)) super.delete(key);
    return super.get(key);
  }

  /** Rounds the end of the window up: who waits for it is surely let in. */
  override set(key: string, window: RateWindow): this {
    this.#sweep();
    window.reset = Math.ceil((this.#clock() + this.#durationMs) / 1000);
    return super.set(key, window);
  }

  /** Whole seconds until the key's window ends, at least 1. */
  secondsLeft(id: string): number {
    const reset = this.get(`limit:${id}`)?.reset ?? 0;
    return Math.max(1, Math.ceil(reset - this.#clock() / 1000));
  }

  #isOver(window: RateWindow): boolean {
    return window.reset * 1000 <= this.#clock();
  }

  /** Drops ended windows once a duration, so that memory follows the keys in play. */
  #sweep(): void {
    if (this.#clock() < this.#nextSweepMs) return;
    this.#nextSweepMs = this.#clock() + this.#durationMs;
    for (const [key, window] of this) if (this.#isOver(window)) super.delete(key);
  }
}
