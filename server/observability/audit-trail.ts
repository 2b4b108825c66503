/** Stores audit entries: those of writes at once, those of reads in batches, and in the log what MongoDB cannot take. */
import type { AuditEntries, AuditEntryRecord } from '../../models/audit-entry.ts';
import type { Log } from './log.ts';

const batchMax = 500;
const flushIntervalMs = 1000;
/** Kept in memory while MongoDB is away; the oldest beyond it go to the log. */
const heldMax = 20_000;

export class AuditTrail {
  readonly #entries: AuditEntries;
  readonly #log: Log;
  #held: AuditEntryRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  /** Whether a scheduled flush has not taken its batch yet: a second one would find next to nothing. */
  #isFlushDue = false;

  constructor(entries: AuditEntries, log: Log) {
    this.#entries = entries;
    this.#log = log;
  }

  /** Adds entries to the next batch. */
  add(entries: readonly AuditEntryRecord[]): void {
    this.#held.push(...entries);
    if (this.#held.length > heldMax) this.#keep([]);
    if (this.#held.length >= batchMax && !this.#isFlushDue) void this.flush();
    else this.#scheduleFlush();
  }

  /** Stores entries before it resolves, or logs them if that fails: what they record has happened. */
  async storeNow(entries: readonly AuditEntryRecord[]): Promise<void> {
    if (entries.length === 0) return;
    try {
      await this.#entries.storeBatched(entries);
    } catch (err) {
      this.#log.error({ err, entries }, 'Audit entries could not be stored');
    }
  }

  /** Stores all held entries; one batch at a time. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isFlushDue = true;
    this.#flushing = this.#flushing.then(() => this.#storeHeld());
    return this.#flushing;
  }

  /** The last flush: entries that cannot be stored go to the log, as there is no later retry. */
  close(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.storeNow(this.#takeHeld()));
    return this.#flushing;
  }

  #scheduleFlush(): void {
    this.#timer ??= setTimeout(() => void this.flush(), flushIntervalMs).unref();
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
      this.#log.error({ err }, 'A batch of audit entries could not be stored and will be retried');
      this.#keep(batch);
    }
  }

  #keep(batch: AuditEntryRecord[]): void {
    const all = [...batch, ...this.#held];
    const dropped = all.slice(0, Math.max(0, all.length - heldMax));
    if (dropped.length > 0) this.#log.error({ entries: dropped }, 'Audit entries dropped: too many to hold');
    this.#held = all.slice(dropped.length);
    this.#scheduleFlush();
  }
}
