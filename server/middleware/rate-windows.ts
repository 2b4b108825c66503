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

/** The driver takes a call off when the next one comes: a window in use holds one more than is left. */
const lag = 1;

export class RateWindows extends Map<string, RateWindow> {
  readonly #durationMs: number;
  readonly #clock: Clock;
  #nextSweepMs = 0;

  constructor(durationMs: number, clock: Clock) {
    super();
    this.#durationMs = durationMs;
    this.#clock = clock;
  }

  /**
   * For the driver: the window as this call finds it, and the call taken off. The driver counts down what it gets,
   * awaits, and judges only then, so that calls of one moment must each have a copy of their own to judge by.
   */
  override get(key: string): RateWindow | undefined {
    const window = this.#find(key);
    if (!window) return undefined;
    const found = { ...window };
    window.remaining = Math.max(0, window.remaining - 1);
    return found;
  }

  /** Rounds the end of the window up: who waits for it is surely let in. */
  override set(key: string, window: RateWindow): this {
    this.#sweep();
    window.reset = Math.ceil((this.#clock() + this.#durationMs) / 1000);
    return super.set(key, { ...window });
  }

  /** What a key may still call in its window; null when it has none. */
  callsLeft(id: string): number | null {
    const window = this.#find(`limit:${id}`);
    return window ? Math.max(0, window.remaining - lag) : null;
  }

  /** Whole seconds until the key's window ends, at least 1. */
  secondsLeft(id: string): number {
    const reset = this.#find(`limit:${id}`)?.reset ?? 0;
    return Math.max(1, Math.ceil(reset - this.#clock() / 1000));
  }

  /** Takes calls ahead of the one that the driver is about to count: all of them, or none when they do not fit. */
  takeAhead(id: string, calls: number, total: number): boolean {
    const known = this.#find(`limit:${id}`);
    const window = known ?? { id, total, remaining: total + lag, reset: 0 };
    if (calls + 1 > window.remaining - lag) return false;
    window.remaining -= calls;
    if (!known) this.set(`limit:${id}`, window);
    return true;
  }

  /** What the driver would say of the key's window without counting a call. */
  headers(id: string): Record<string, string> {
    const { total = 0, remaining = 0, reset = 0 } = this.#find(`limit:${id}`) ?? {};
    return {
      'X-RateLimit-Limit': String(total),
      'X-RateLimit-Remaining': String(Math.max(0, remaining - lag)),
      'X-RateLimit-Reset': String(reset),
    };
  }

  #find(key: string): RateWindow | undefined {
    const window = super.get(key);
    if (window && this.#isOver(window)) super.delete(key);
    return super.get(key);
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
