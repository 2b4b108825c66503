/** The way of audit entries into the database, or else the log: writes at once, reads in bounded batches, the rest at the end. */
import type { AuditEntries, AuditEntryRecord } from '../models/audit-entry.ts';
import type { Log } from './log.ts';

const batchMax = 500;
const flushAfterMs = 1000;
/** Held at the most while the database is away; beyond it the oldest go to the log instead. */
const heldMax = 20_000;

export class AuditTrail {
  readonly #entries: AuditEntries;
  readonly #log: Log;
  #held: AuditEntryRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  /** Whether a flush is yet to take what is held: another one would find crumbs. */
  #isFlushDue = false;

  constructor(entries: AuditEntries, log: Log) {
    this.#entries = entries;
    this.#log = log;
  }

  /** Holds entries for the next batch. */
  add(entries: readonly AuditEntryRecord[]): void {
    this.#held.push(...entries);
    if (this.#held.length > heldMax) this.#keep([]);
    if (this.#held.length >= batchMax && !this.#isFlushDue) void this.flush();
    else this.#flushSoon();
  }

  /** Stores entries, with those of other writes, before it returns. If it cannot, they go to the log: what they tell of has happened. */
  async storeNow(entries: readonly AuditEntryRecord[]): Promise<void> {
    if (entries.length === 0) return;
    try {
      await this.#entries.storeTogether(entries);
    } catch (err) {
      this.#log.error({ err, entries }, 'Audit entries could not be stored');
    }
  }

  /** Stores all that is held; one batch at a time. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isFlushDue = true;
    this.#flushing = this.#flushing.then(() => this.#storeHeld());
    return this.#flushing;
  }

  /** The last of it: what is held is stored or, as nobody will try again, goes to the log. */
  close(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.storeNow(this.#takeHeld()));
    return this.#flushing;
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), flushAfterMs).unref();
  }

  #takeHeld(): AuditEntryRecord[] {
    this.#isFlushDue = false;
    const held = this.#held;
    this.#held = [];
    return held;
  }

  async #storeHeld(): Promise<void> {
    const batch = this.#takeHeld();
    if (batch.length === 0) return;
    try {
      await this.#entries.store(batch);
    } catch (err) {
      this.#log.error({ err }, 'A batch of audit entries could not be stored; it is kept for the next try');
      this.#keep(batch);
    }
  }

  #keep(batch: AuditEntryRecord[]): void {
    const all = [...batch, ...this.#held];
    const dropped = all.slice(0, Math.max(0, all.length - heldMax));
    if (dropped.length > 0) this.#log.error({ entries: dropped }, 'Audit entries beyond what can be held');
    this.#held = all.slice(dropped.length);
    this.#flushSoon();
  }
}
