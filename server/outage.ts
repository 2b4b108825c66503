/** Tells the log once that something is away, and once that it is back, however many calls meet with it. */
import type { Log } from './log.ts';

interface Words {
  away: string;
  back: string;
}

export class Outage {
  readonly #log: Log;
  readonly #words: Words;
  #isOn = false;

  constructor(log: Log, words: Words) {
    this.#log = log;
    this.#words = words;
  }

  /** The reason is told in words: the failure itself may hold what was sent, a password among it. */
  begin(failure: unknown): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#log.warn(
      { reason: failure instanceof Error ? failure.message : String(failure) },
      this.#words.away,
    );
  }

  end(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#log.info(this.#words.back);
  }
}
