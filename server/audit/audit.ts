/**
 * The audit of calls: one entry for every call of a known key or a session. A write's entry is stored before its response
 * leaves, those of reads in batches, and what MongoDB cannot take goes to the log.
 */
import type { CallRecord, RequestRecord, RequestState } from '../../bridge/protocol.ts';
import type { ActivityCounts } from '../../models/activity-count.ts';
import type { ApiKeyRecord } from '../../models/api-key/store.ts';
import {
  type AuditEntries,
  type AuditEntryRecord,
  type StoredAuditEntry,
  withId,
} from '../../models/audit-entry.ts';
import { heldWritesMax } from '../../models/bounds.ts';
import { type Caller, credentialOf } from '../../routers/caller.ts';
import type { Outcome } from '../../routers/context.ts';
import { asApiError } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import { MemoryWindows, type Window } from '../limit/limiter.ts';
import type { Log } from '../observability/log.ts';

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
    const noted = notedBy(outcome);
    return noted === null && detail === null ? entry : { ...entry, ...detail, ...noted };
  };
  if (record.calls.length > 0) return record.calls.filter(({ isAudited }) => isAudited).map(entryOf);
  if (!failure) return [];
  const { status, apiCode: code } = asApiError(failure);
  return [entryOf({ operation: null, target: null, outcome: {}, isWrite: false, status, code })];
}

/** A call may name twenty paths. */
const detailLengthMax = 1_000;

/** What few calls note of what they were about. */
function notedBy({ ownerId, detail }: Outcome): Pick<AuditEntryRecord, 'ownerId' | 'detail'> | null {
  if (ownerId === undefined && detail === undefined) return null;
  return {
    ...(ownerId !== undefined && { ownerId }),
    ...(detail !== undefined && { detail: detail.slice(0, detailLengthMax) }),
  };
}

interface Actor extends Pick<AuditEntryRecord, 'userId' | 'keyId'> {
  /** What few callers have: an app, or a key that is restricted to servers or was refused. */
  detail: Pick<AuditEntryRecord, 'grantId' | 'clientId' | 'isRestricted' | 'refusedKey'> | null;
}

/** Null: no user that the service knows. */
function actorOf({ caller, calls }: RequestRecord): Actor | null {
  const credential = credentialOf(caller);
  if (credential?.kind === 'key') return actorOfKey(credential.key, caller);
  if (credential?.kind === 'app') {
    const { _id: grantId, userId, app } = credential.grant;
    return { userId, keyId: '', detail: { grantId, clientId: app.clientId } };
  }
  const signedIn = calls.find(({ outcome }) => outcome.userId !== undefined)?.outcome.userId;
  const userId = signedIn === undefined && caller.kind === 'session' ? caller.userId : signedIn;
  return userId === undefined ? null : { userId, keyId: '', detail: null };
}

/** That of a refused key has its name, as its calls may be audited longer after its end than it is stored. */
function actorOfKey({ _id: keyId, userId, name, prefix, servers }: ApiKeyRecord, caller: Caller): Actor {
  const isRestricted = Boolean(servers);
  const hasEnded = caller.kind === 'visitor' && caller.refusal.status === 401;
  const detail =
    isRestricted || hasEnded
      ? { ...(isRestricted && { isRestricted }), ...(hasEnded && { refusedKey: { name, prefix } }) }
      : null;
  return { userId, keyId, detail };
}

const batchMax = 500;
const flushIntervalMs = 1000;

interface AuditStores {
  auditEntries: AuditEntries;
  activityCounts: ActivityCounts;
}

/** Stores audit entries: those of writes at once, those of reads in batches, and in the log what MongoDB cannot take. */
export class AuditTrail {
  readonly #stores: AuditStores;
  readonly #log: Log;
  #held: AuditEntryRecord[] = [];
  /** Tried without success, oldest first; some of them may be stored. */
  #failed: StoredAuditEntry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  /** Whether a scheduled flush has not taken its batch yet: a second one would find next to nothing. */
  #isFlushDue = false;

  constructor(stores: AuditStores, log: Log) {
    this.#stores = stores;
    this.#log = log;
  }

  /** Adds entries to the next batch. */
  add(entries: readonly AuditEntryRecord[]): void {
    this.#held.push(...entries);
    this.#drop(this.#held);
    if (this.#held.length >= batchMax && !this.#isFlushDue) void this.flush();
    else this.#scheduleFlush();
  }

  /** Stores entries before it resolves, or logs them if that fails: what they record has happened. */
  async storeNow(entries: readonly AuditEntryRecord[]): Promise<void> {
    if (entries.length === 0) return;
    try {
      await this.#stores.auditEntries.storeBatched(entries);
      this.#stores.activityCounts.add(entries);
    } catch (err) {
      this.#log.error({ err, entries }, 'Audit entries could not be stored');
    }
  }

  /** Stores all held entries; one batch at a time. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isFlushDue = true;
    this.#flushing = this.#flushing.then(() =>
      this.#storeHeld((entries, err) => {
        this.#log.error({ err }, 'A batch of audit entries could not be stored and will be retried');
        this.#failed = entries;
        this.#drop(this.#failed);
        this.#scheduleFlush();
      }),
    );
    return this.#flushing;
  }

  /** The last flush: entries that cannot be stored go to the log, as there is no later retry. */
  close(): Promise<void> {
    this.#flushing = this.#flushing.then(() =>
      this.#storeHeld((entries, err) =>
        this.#log.error({ err, entries }, 'Audit entries could not be stored'),
      ),
    );
    return this.#flushing;
  }

  #scheduleFlush(): void {
    this.#timer ??= setTimeout(() => void this.flush(), flushIntervalMs).unref();
  }

  async #storeHeld(onFailure: (entries: StoredAuditEntry[], failure: unknown) => void): Promise<void> {
    this.#isFlushDue = false;
    const entries = [...this.#failed.splice(0), ...this.#held.splice(0).map(withId)];
    if (entries.length === 0) return;
    try {
      await this.#stores.auditEntries.store(entries);
      this.#stores.activityCounts.add(entries);
    } catch (failure) {
      onFailure(entries, failure);
    }
  }

  /** The oldest, where there are too many. */
  #drop(held: AuditEntryRecord[]): void {
    const entries = held.splice(0, Math.max(held.length - heldWritesMax, 0));
    if (entries.length > 0) this.#log.error({ entries }, 'Audit entries dropped: too many to hold');
  }
}
