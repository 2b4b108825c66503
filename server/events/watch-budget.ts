/** The calls of the watch over servers: so many in any minute, measurements and lists together, each spread evenly. */
import type { Clock } from '../../routers/ports.ts';

/** How often a server is measured, where the calls allow it; the panel keeps a measurement for as long. */
export const measureMs = 20_000;
const minuteMs = 60_000;
/** Lists have a rate limit of their own at the panel, which the reads of all callers need too. */
const listShareMax = 1 / 2;

interface BudgetOptions {
  clock: Clock;
  callsPerMinute: number;
  /** How often it is asked: who comes later than that does not make up for what was due before. */
  tickMs: number;
}

interface ListCall {
  /** How many calls it may take. */
  calls: number;
  /** Whether it is read for the first time. */
  isFirst: boolean;
  /** How many servers are measured. */
  serverCount: number;
}

export class WatchBudget {
  readonly #options: BudgetOptions;
  /** When calls of the last minute were made. */
  #calls: number[] = [];
  #nextMeasurementAt = 0;
  #nextListAt = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** How often each of so many servers is measured. */
  intervalMs(serverCount: number): number {
    return Math.max(measureMs, (serverCount / this.#options.callsPerMinute) * minuteMs);
  }

  /** Whether a measurement may be made now, which counts it. */
  takeMeasurement(): boolean {
    const { clock, callsPerMinute, tickMs } = this.#options;
    const now = clock();
    this.#nextMeasurementAt = Math.max(this.#nextMeasurementAt, now - tickMs);
    if (this.#nextMeasurementAt > now || !this.#take(1, now)) return false;
    this.#nextMeasurementAt += minuteMs / callsPerMinute;
    return true;
  }

  /** Whether a list may be read now, which counts its calls. */
  takeList({ calls, ...list }: ListCall): boolean {
    const { clock, callsPerMinute } = this.#options;
    const now = clock();
    if (this.#nextListAt > now || !this.#take(Math.min(calls, callsPerMinute), now)) return false;
    this.#nextListAt = now + (calls * minuteMs) / (callsPerMinute * this.#listShare(list));
    return true;
  }

  /** Of all calls: what measurements leave, at least a tenth; and half of them to learn which servers there are. */
  #listShare({ isFirst, serverCount }: Omit<ListCall, 'calls'>): number {
    const left = 1 - (serverCount * (minuteMs / measureMs)) / this.#options.callsPerMinute;
    return isFirst ? listShareMax : Math.min(Math.max(left, 1 / 10), listShareMax);
  }

  #take(count: number, now: number): boolean {
    // A clock that was set back leaves calls in the future.
    this.#calls = this.#calls.filter((at) => at > now - minuteMs && at <= now);
    if (this.#calls.length + count > this.#options.callsPerMinute) return false;
    for (let call = 0; call < count; call += 1) this.#calls.push(now);
    return true;
  }
}
