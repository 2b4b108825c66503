/** Counts in this process, by our clock. Ended windows are forgotten, so that memory follows the ids in play. */
import type { Clock } from '../../routers/ports.ts';
import { type Count, type Counter, windowMs } from './counter.ts';

interface Window {
  taken: number;
  /** In whole seconds since the epoch, rounded up: a client that waits for it is admitted. */
  resetSeconds: number;
}

export class MemoryCounter implements Counter {
  readonly #windows = new Map<string, Window>();
  readonly #clock: Clock;
  #nextSweepMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many windows are remembered. */
  get size(): number {
    return this.#windows.size;
  }

  take(id: string, calls: number, max: number): Count {
    const window = this.#find(id) ?? this.#newWindow();
    const fits = window.taken + calls <= max;
    if (fits && calls !== 0) {
      window.taken = Math.max(0, window.taken + calls);
      this.#keep(id, window);
    }
    const secondsLeft = Math.max(1, Math.ceil(window.resetSeconds - this.#clock() / 1000));
    return { fits, left: Math.max(0, max - window.taken), resetSeconds: window.resetSeconds, secondsLeft };
  }

  #find(id: string): Window | null {
    const window = this.#windows.get(id);
    return window && !this.#isOver(window) ? window : null;
  }

  #newWindow(): Window {
    return { taken: 0, resetSeconds: Math.ceil((this.#clock() + windowMs) / 1000) };
  }

  #isOver(window: Window): boolean {
    return window.resetSeconds * 1000 <= this.#clock();
  }

  #keep(id: string, window: Window): void {
    this.#sweep();
    this.#windows.set(id, window);
  }

  /** Drops ended windows, once in a window's time. */
  #sweep(): void {
    if (this.#clock() < this.#nextSweepMs) return;
    this.#nextSweepMs = this.#clock() + windowMs;
    for (const [id, window] of this.#windows) if (this.#isOver(window)) this.#windows.delete(id);
  }
}
