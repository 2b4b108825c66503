/** Logs an outage once when it begins and once when it ends, however many calls fail meanwhile. */
import type { Log } from './log.ts';

interface Messages {
  away: string;
  back: string;
}

export class OutageLog {
  readonly #log: Log;
  readonly #messages: Messages;
  #isAway = false;

  constructor(log: Log, messages: Messages) {
    this.#log = log;
    this.#messages = messages;
  }

  /** Logs the error's message only: the error itself may carry what was sent, such as a password. */
  reportAway(error: unknown): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#log.warn({ reason: error instanceof Error ? error.message : String(error) }, this.#messages.away);
  }

  reportBack(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#log.info(this.#messages.back);
  }
}
