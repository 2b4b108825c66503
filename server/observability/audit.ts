/**
 * The audit of calls: one entry for every call of a known key or a session. A write's entry is stored before its response
 * leaves, those of reads in batches, and what MongoDB cannot take goes to the log.
 */
import type { CallRecord, RequestRecord, RequestState } from '../../bridge/protocol.ts';
import type { AuditBatch, AuditEntries, AuditEntryRecord } from '../../models/audit-entry.ts';
import { asApiError } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import { MemoryWindows, type Window } from '../limit/limiter.ts';
import type { Log } from './log.ts';

/** @param failure of the whole request; null where each call ended in its own way */
export type Audit = (handled: RequestState, failure: unknown) => Promise<void> | void;

/** Refusals of one key, app or session as too many requests. Further ones would fill the database as fast as they come. */
const rateLimited: Window = { name: 'audited-refusals', seconds: 60, max: 60 };

/** What failures of MongoDB are answered with. */
const databaseFailed = [500, 503];

export function createAudit({ trail, clock }: { trail: AuditTrail; clock: Clock }): Audit {
  const windows = new MemoryWindows(clock);
  const isBeyond = ({ userId, keyId, grantId = '', code }: AuditEntryRecord) =>
    code === 'rate_limited' &&
    !windows.consume({ window: rateLimited, id: `${userId}:${keyId}${grantId}`, calls: 1 }).fits;
  return function audit(handled, failure) {
    const entries = entriesOf(handled, new Date(clock()), failure);
    // Where MongoDB has failed a call, its caller does not wait for it once more.
    const hasWritten = ({ isWrite, status }: CallRecord) => isWrite && !databaseFailed.includes(status);
    if (handled.record.calls.some(hasWritten)) return trail.storeNow(entries);
    trail.add(entries.filter((entry) => !isBeyond(entry)));
  };
}

/** One entry per procedure called; one without an operation when the request was refused before. */
function entriesOf({ request, record }: RequestState, at: Date, failure: unknown): AuditEntryRecord[] {
  const actor = actorOf(record);
  if (!actor) return [];
  const { userId, keyId, detail } = actor;
  const { address, id: requestId } = request;
  const entryOf = (call: Omit<CallRecord, 'isAudited'>): AuditEntryRecord => {
    const { operation, target, outcome, isWrite, status, code } = call;
    const via: AuditEntryRecord['via'] = record.protocol === 'account' && !isWrite ? 'view' : record.protocol;
    const entry = { at, userId, keyId, operation, target, status, code, address, requestId, via };
    const { ownerId } = outcome;
    return ownerId === undefined && detail === null
      ? entry
      : { ...entry, ...detail, ...(ownerId !== undefined && { ownerId }) };
  };
  if (record.calls.length > 0) return record.calls.filter(({ isAudited }) => isAudited).map(entryOf);
  if (!failure) return [];
  const { status, apiCode: code } = asApiError(failure);
  return [entryOf({ operation: null, target: null, outcome: {}, isWrite: false, status, code })];
}

interface Actor extends Pick<AuditEntryRecord, 'userId' | 'keyId'> {
  /** What few callers have: an app, or a key that is restricted to servers or was refused. */
  detail: Pick<AuditEntryRecord, 'grantId' | 'clientId' | 'isRestricted' | 'refusedKey'> | null;
}

/** Null: no user that the service knows. */
function actorOf({ credentials: { knownKey, knownGrant, session }, calls }: RequestRecord): Actor | null {
  if (knownKey) {
    const { id: keyId, userId, isRestricted, refusedKey } = knownKey;
    const detail =
      isRestricted || refusedKey
        ? { ...(isRestricted && { isRestricted }), ...(refusedKey && { refusedKey }) }
        : null;
    return { userId, keyId, detail };
  }
  if (knownGrant) {
    const { id: grantId, userId, clientId } = knownGrant;
    return { userId, keyId: '', detail: { grantId, clientId } };
  }
  const signedIn = calls.find(({ outcome }) => outcome.userId !== undefined)?.outcome.userId;
  const userId = signedIn === undefined ? session?.user._id : signedIn;
  return userId === undefined ? null : { userId, keyId: '', detail: null };
}

const batchMax = 500;
const flushIntervalMs = 1000;
/** Kept in memory while MongoDB is unavailable; the oldest beyond it go to the log. */
const heldMax = 20_000;

/** Stores audit entries: those of writes at once, those of reads in batches, and in the log what MongoDB cannot take. */
export class AuditTrail {
  readonly #entries: AuditEntries;
  readonly #log: Log;
  #held: AuditEntryRecord[] = [];
  /** Tried without success, oldest first; some of their entries may be stored. */
  #failed: AuditBatch[] = [];
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
    if (this.#held.length > heldMax) this.#logDropped(this.#held.splice(0, this.#held.length - heldMax));
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
    this.#flushing = this.#flushing.then(() => this.#storeLast());
    return this.#flushing;
  }

  #scheduleFlush(): void {
    this.#timer ??= setTimeout(() => void this.flush(), flushIntervalMs).unref();
  }

  /** What failed before, and what is held. An entry gets its number here and keeps it. */
  #takeAll(): AuditBatch[] {
    this.#isFlushDue = false;
    const batches = this.#failed.splice(0);
    const held = this.#held.splice(0);
    return held.length > 0 ? [...batches, this.#entries.writer.number(held)] : batches;
  }

  async #storeHeld(): Promise<void> {
    const batches = this.#takeAll();
    try {
      await this.#storeInOrder(batches);
    } catch (err) {
      this.#log.error({ err }, 'A batch of audit entries could not be stored and will be retried');
      this.#retryLater(batches);
    }
  }

  /** After a failure none is tried: each try may take seconds, and a stop has few. */
  async #storeLast(): Promise<void> {
    const batches = this.#takeAll();
    try {
      await this.#storeInOrder(batches);
    } catch (err) {
      const entries = batches.flatMap((batch) => batch.entries);
      this.#log.error({ err, entries }, 'Audit entries could not be stored');
    }
  }

  /** Leaves the batches that are not stored. */
  async #storeInOrder(batches: AuditBatch[]): Promise<void> {
    for (; batches[0]; batches.shift()) await this.#entries.storeBatch(batches[0]);
  }

  #retryLater(batches: AuditBatch[]): void {
    let count = batches.reduce((sum, { entries }) => sum + entries.length, 0);
    for (; count > heldMax && batches[0]; batches.shift()) {
      count -= batches[0].entries.length;
      this.#entries.writer.settle(batches[0]);
      this.#logDropped(batches[0].entries);
    }
    this.#failed = batches;
    this.#scheduleFlush();
  }

  #logDropped(entries: readonly AuditEntryRecord[]): void {
    this.#log.error({ entries }, 'Audit entries dropped: too many to hold');
  }
}
