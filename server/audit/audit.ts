/**
 * The audit has one entry for every call of a known key or session. A write's entry is stored before its response leaves;
 * entries of reads are stored in batches. Entries that MongoDB cannot take go to the log. Call counts are stored at intervals.
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

/** @param failure the error that refused the entire request; null if its calls ran */
export type Audit = (handled: RequestState, failure: unknown) => Promise<void> | void;

/** Limits how many `rate_limited` refusals of one key, app or session are audited: all of them would fill the database. */
const refusalWindow: Window = { name: 'audited-refusals', seconds: 60, max: 60 };

const databaseFailureStatuses = [500, 503];

export function createAudit({ trail, clock }: { trail: AuditTrail; clock: Clock }): Audit {
  const windows = new MemoryWindows(clock);
  const exceedsRefusalWindow = ({ userId, keyId, grantId = '', code }: AuditEntryRecord) =>
    code === 'rate_limited' &&
    !windows.consume({ window: refusalWindow, id: `${userId}:${keyId}${grantId}`, calls: 1 }).fits;
  return function audit(handled, failure) {
    const entries = entriesOf(handled, new Date(clock()), failure);
    // If a call failed because of MongoDB, its caller does not wait for MongoDB a second time.
    const hasWritten = ({ isWrite, status }: CallRecord) =>
      isWrite && !databaseFailureStatuses.includes(status);
    if (handled.record.calls.some(hasWritten)) return trail.storeNow(entries);
    trail.add(entries.filter((entry) => !exceedsRefusalWindow(entry)));
  };
}

/** One entry per call. A request that was refused before its calls ran has one entry, without an operation. */
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

/** A call may name twenty paths, so its detail is cut. */
const detailLengthMax = 1_000;

const auditedDetails = ({ ownerId, detail }: Outcome): Pick<AuditEntryRecord, 'ownerId' | 'detail'> => ({
  ...(ownerId !== undefined && { ownerId }),
  ...(detail !== undefined && { detail: detail.slice(0, detailLengthMax) }),
});

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

/** The entry of a key that no longer works has the key's name, because the audit may outlive the key's record. */
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
/** At each interval, a key in use costs two updates, however many calls it made. */
const countIntervalMs = 10_000;

export class AuditTrail {
  readonly #stores: Pick<Models, 'auditEntries' | 'activityCounts'>;
  readonly #log: Log;
  readonly #counting: NodeJS.Timeout;
  #storingCounts: Promise<void> = Promise.resolve();
  #isClosing = false;
  /** Oldest first. After a failed attempt, some may already be stored. */
  #held: StoredAuditEntry[] = [];
  /** After a failed batch, the next batch waits for the timer, even if it is full. */
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  /** A flush that waits for the current one and has not taken its batch yet. */
  #nextFlush: Promise<void> | undefined;

  constructor(stores: Pick<Models, 'auditEntries' | 'activityCounts'>, log: Log) {
    this.#stores = stores;
    this.#log = log;
    this.#counting = setInterval(() => void this.#storeCounts(), countIntervalMs).unref();
  }

  add(entries: readonly AuditEntryRecord[]): void {
    this.#hold(entries.map(withId));
    if (this.#held.length >= batchMax && !this.#hasFailed) void this.flush();
  }

  /** Resolves when the entries are stored. If they cannot be stored, logs them and still resolves: the calls have happened. */
  async storeNow(entries: readonly AuditEntryRecord[]): Promise<void> {
    if (entries.length === 0) return;
    try {
      await this.#stores.auditEntries.storeBatched(entries);
      this.#stores.activityCounts.add(entries);
    } catch (err) {
      this.#log.error({ err, entries }, 'Audit entries could not be stored');
    }
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#nextFlush ??= this.#flushing.then(() => this.#storeHeld());
    this.#flushing = this.#nextFlush;
    return this.#nextFlush;
  }

  /** The last flush logs entries that it cannot store, because no retry follows. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#counting);
    await this.flush();
    await this.#storeCounts();
  }

  async #storeHeld(): Promise<void> {
    this.#nextFlush = undefined;
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

  #hold(entries: readonly StoredAuditEntry[]): void {
    for (const entry of entries) this.#held.push(entry);
    const dropped = this.#held.splice(0, Math.max(this.#held.length - bufferedWritesMax, 0));
    if (dropped.length > 0) this.#log.error({ entries: dropped }, 'Audit entries dropped: too many to hold');
    this.#timer ??= setTimeout(() => void this.flush(), flushIntervalMs).unref();
  }

  #storeCounts(): Promise<void> {
    this.#storingCounts = this.#storingCounts
      .then(() => this.#stores.activityCounts.store())
      .catch((err) => this.#log.warn({ err }, 'Call counts could not be stored and will be retried'));
    return this.#storingCounts;
  }
}
