/**
 * The audit of calls: one entry for every call of a known key or a session. A write's entry is stored before its response
 * leaves, those of reads in batches, and what MongoDB cannot take goes to the log.
 */
import type { CallRecord, RequestRecord, RequestState } from '../../bridge/protocol.ts';
import type { ApiKeyRecord } from '../../models/api-key/store.ts';
import { type AuditEntryRecord, type StoredAuditEntry, withId } from '../../models/audit-entry.ts';
import { bufferedWritesMax } from '../../models/bounds.ts';
import type { Models } from '../../models/index.ts';
import { type Caller, credentialOf } from '../../routers/caller.ts';
import type { Outcome } from '../../routers/context.ts';
import { asApiError } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import { MemoryWindows, type Window } from '../limit/limiter.ts';
import type { Log } from '../observability/log.ts';

/** @param failure of the whole request; null where each call ended in its own way */
export type Audit = (handled: RequestState, failure: unknown) => Promise<void> | void;

/** Refusals of one key, app or session as too many requests. Further ones would fill the database as fast as they come. */
const refusalWindow: Window = { name: 'audited-refusals', seconds: 60, max: 60 };

/** What failures of MongoDB are answered with. */
const databaseFailureStatuses = [500, 503];

export function createAudit({ trail, clock }: { trail: AuditTrail; clock: Clock }): Audit {
  const windows = new MemoryWindows(clock);
  const exceedsRefusalWindow = ({ userId, keyId, grantId = '', code }: AuditEntryRecord) =>
    code === 'rate_limited' &&
    !windows.consume({ window: refusalWindow, id: `${userId}:${keyId}${grantId}`, calls: 1 }).fits;
  return function audit(handled, failure) {
    const entries = entriesOf(handled, new Date(clock()), failure);
    // Where MongoDB has failed a call, its caller does not wait for it once more.
    const hasWritten = ({ isWrite, status }: CallRecord) =>
      isWrite && !databaseFailureStatuses.includes(status);
    if (handled.record.calls.some(hasWritten)) return trail.storeNow(entries);
    trail.add(entries.filter((entry) => !exceedsRefusalWindow(entry)));
  };
}

/** One entry per procedure called; one without an operation when the request was refused before. */
function entriesOf({ request, record }: RequestState, at: Date, failure: unknown): AuditEntryRecord[] {
  const actor = actorOf(record);
  if (!actor) return [];
  const { address, id: requestId } = request;
  const entryOf = (call: Omit<CallRecord, 'isAudited'>): AuditEntryRecord => {
    const { operation, target, outcome, isWrite, status, code } = call;
    const via = record.protocol === 'account' && !isWrite ? 'view' : record.protocol;
    const details = auditedDetails(outcome);
    return { at, ...actor, operation, target, status, code, address, requestId, via, ...details };
  };
  if (record.calls.length > 0) return record.calls.filter(({ isAudited }) => isAudited).map(entryOf);
  if (!failure) return [];
  const { status, apiCode: code } = asApiError(failure);
  return [entryOf({ operation: null, target: null, outcome: {}, isWrite: false, status, code })];
}

type Actor = Pick<
  AuditEntryRecord,
  'userId' | 'keyId' | 'grantId' | 'clientId' | 'isRestricted' | 'refusedKey'
>;

/** A call may name twenty paths. */
const detailLengthMax = 1_000;

/** What few calls note of what they were about. */
const auditedDetails = ({ ownerId, detail }: Outcome): Pick<AuditEntryRecord, 'ownerId' | 'detail'> => ({
  ...(ownerId !== undefined && { ownerId }),
  ...(detail !== undefined && { detail: detail.slice(0, detailLengthMax) }),
});

/** Null: no user that the service knows. */
function actorOf({ caller, calls }: RequestRecord): Actor | null {
  const credential = credentialOf(caller);
  if (credential?.kind === 'key') return actorOfKey(credential.key, caller);
  if (credential?.kind === 'app') {
    const { _id: grantId, userId, app } = credential.grant;
    return { userId, keyId: '', grantId, clientId: app.clientId };
  }
  const signedIn = calls.find(({ outcome }) => outcome.userId !== undefined)?.outcome.userId;
  const userId = signedIn === undefined && caller.kind === 'session' ? caller.userId : signedIn;
  return userId === undefined ? null : { userId, keyId: '' };
}

/** That of a refused key has its name, as its calls may be audited longer after its end than it is stored. */
function actorOfKey({ _id: keyId, userId, name, prefix, servers }: ApiKeyRecord, caller: Caller): Actor {
  const hasEnded = caller.kind === 'visitor' && caller.refusal.status === 401;
  return {
    userId,
    keyId,
    ...(servers && { isRestricted: true }),
    ...(hasEnded && { refusedKey: { name, prefix } }),
  };
}

const batchMax = 500;
const flushIntervalMs = 1000;
/** At each time a key in use costs two updates, however many calls it made. */
const countIntervalMs = 10_000;

/**
 * Stores audit entries: those of writes at once, those of reads in batches, and in the log what MongoDB cannot take. Their sums
 * are stored at intervals.
 */
export class AuditTrail {
  readonly #stores: Pick<Models, 'auditEntries' | 'activityCounts'>;
  readonly #log: Log;
  readonly #counting: NodeJS.Timeout;
  #storingCounts: Promise<void> = Promise.resolve();
  #isClosing = false;
  /** Oldest first; some of those that were tried without success may be stored. */
  #held: StoredAuditEntry[] = [];
  /** Whether the last batch failed: then the next is tried when its time comes, however many wait. */
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  /** The flush that has not taken its batch yet. */
  #due: Promise<void> | undefined;

  constructor(stores: Pick<Models, 'auditEntries' | 'activityCounts'>, log: Log) {
    this.#stores = stores;
    this.#log = log;
    this.#counting = setInterval(() => void this.#storeCounts(), countIntervalMs).unref();
  }

  /** Adds entries to the next batch. */
  add(entries: readonly AuditEntryRecord[]): void {
    this.#hold(entries.map(withId));
    if (this.#held.length >= batchMax && !this.#hasFailed) void this.flush();
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
    this.#due ??= this.#flushing.then(() => this.#storeHeld());
    this.#flushing = this.#due;
    return this.#due;
  }

  /** The last flush: entries that cannot be stored go to the log, as there is no later retry. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#counting);
    await this.flush();
    await this.#storeCounts();
  }

  async #storeHeld(): Promise<void> {
    this.#due = undefined;
    const entries = this.#held.splice(0);
    if (entries.length === 0) return;
    try {
      await this.#stores.auditEntries.store(entries);
      this.#stores.activityCounts.add(entries);
      this.#hasFailed = false;
    } catch (err) {
      this.#hasFailed = true;
      if (this.#isClosing) return this.#log.error({ err, entries }, 'Audit entries could not be stored');
      this.#log.error({ err }, 'A batch of audit entries could not be stored and will be retried');
      this.#hold([...entries, ...this.#held.splice(0)]);
    }
  }

  /** Without the oldest, where there are too many. */
  #hold(entries: readonly StoredAuditEntry[]): void {
    for (const entry of entries) this.#held.push(entry);
    const dropped = this.#held.splice(0, Math.max(this.#held.length - bufferedWritesMax, 0));
    if (dropped.length > 0) this.#log.error({ entries: dropped }, 'Audit entries dropped: too many to hold');
    this.#timer ??= setTimeout(() => void this.flush(), flushIntervalMs).unref();
  }

  #storeCounts(): Promise<void> {
    this.#storingCounts = this.#storingCounts
      .then(() => this.#stores.activityCounts.store())
      .catch((err) => this.#log.warn({ err }, 'Sums of calls could not be stored and will be later'));
    return this.#storingCounts;
  }
}
