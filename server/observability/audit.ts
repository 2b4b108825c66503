/**
 * The audit of calls: one entry for every call of a known key or a session. A write's entry is stored before its answer
 * leaves, those of reads in batches, and what MongoDB cannot take goes to the log.
 */
import type { CallRecord, RequestContext, RequestRecord } from '../../bridge/protocol.ts';
import type { AuditEntries, AuditEntryRecord } from '../../models/audit-entry.ts';
import { asApiError } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import type { Log } from './log.ts';

/** @param failure of the whole request; null where each call ended in its own way */
export type Audit = (ctx: RequestContext, failure: unknown) => Promise<void> | void;

/** Writes the audit's line for every call of a known key or a session; a write's line is stored before its answer leaves. */
export const createAudit = ({ trail, clock }: { trail: AuditTrail; clock: Clock }): Audit =>
  function audit(ctx, failure) {
    const entries = entriesOf(ctx, new Date(clock()), failure);
    if (ctx.state.record.calls.some(({ isWrite }) => isWrite)) return trail.storeNow(entries);
    trail.add(entries);
  };

/** One entry per procedure called; one without an operation when the request was refused before. */
function entriesOf(
  { state: { request, record } }: RequestContext,
  at: Date,
  failure: unknown,
): AuditEntryRecord[] {
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
  /** What few callers have: an app, or a key that is restricted to servers. */
  detail: Pick<AuditEntryRecord, 'grantId' | 'clientId' | 'isRestricted'> | null;
}

/** Null: no user that the service knows. */
function actorOf({ credentials: { knownKey, knownGrant, session }, calls }: RequestRecord): Actor | null {
  if (knownKey) {
    const { id: keyId, userId, isRestricted } = knownKey;
    return { userId, keyId, detail: isRestricted ? { isRestricted } : null };
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
