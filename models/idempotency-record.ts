/**
 * Idempotency keys: across all processes, one of several calls with the same key claims it. Its response is stored for the
 * others for 24 hours. If the process that holds a claim dies, the claim's lease expires, and a retry repeats the write.
 */
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection, mongo } from 'mongoose';
import { idempotencyHours } from './bounds.ts';
import { createBatcher } from './support/batcher.ts';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';
import { createStoreLater } from './support/store-later.ts';
import { nullOnDuplicateKey } from './support/writes.ts';
import type { Vault } from './vault.ts';

const retentionSeconds = idempotencyHours * 3600;

const idempotencySchema = defineSchema({
  /** The API key's id and the idempotency key. `_id` is unique without another index. */
  _id: { type: String, required: true },
  /** Identifies the operation and its input. */
  fingerprint: { type: String, required: true },
  /** A new id with each takeover. */
  claimId: { type: String, required: true },
  /** The same id across takeovers, by which a store recognizes a repeated write. */
  writeId: { type: String, required: true },
  leaseEndsAt: { type: Date, required: true },
  /** The response, whose stored name is `answer`; encrypted if SECRETS_KEY is set; null while the call is in progress. */
  answer: { type: String, default: null },
  /** The response, stored by the write's own transaction; absent before it commits, and for writes without a transaction. */
  made: { type: String, allowNull: false },
  createdAt: { type: Date, required: true },
}).index({ createdAt: 1 }, { expireAfterSeconds: retentionSeconds });

type IdempotencyRecord = RecordOf<typeof idempotencySchema>;

/** Prefix of an encrypted response; no JSON begins with it. */
const sealed = 'sealed:';

export interface ClaimRequest {
  keyId: string;
  idempotencyKey: string;
  fingerprint: string;
  now: Date;
}

/** The right to make the call. It ends with `complete`, `release` or `expireLease`. */
export interface Claim extends ClaimedRecord {
  /** When an earlier call began, if it did not finish and may have made the write; null: there was no earlier call. */
  earlierTryAt: Date | null;
}

type ClaimedRecord = Pick<IdempotencyRecord, '_id' | 'claimId' | 'writeId'>;

type ExpiringLease = Pick<Claim, '_id' | 'claimId'>;

export type ClaimResult =
  | { state: 'claimed'; claim: Claim }
  | { state: 'completed'; response: string }
  | { state: 'in_progress' }
  | { state: 'differs' };

/** Written by hand: a claim costs one round trip, while packages lock, read and unlock. */
export class IdempotencyRecords {
  readonly #collection: mongo.Collection<IdempotencyRecord>;
  readonly #vault: Vault;
  readonly #storeExpiry = createBatcher((leases: ExpiringLease[]) => this.#storeExpiries(leases));
  readonly #storeLater = createStoreLater();
  readonly #leaseMs: number;

  /** @param leaseMs longer than any call takes */
  constructor(connection: Connection, vault: Vault, leaseMs: number) {
    this.#leaseMs = leaseMs;
    this.#vault = vault;
    this.#collection = defineCollection(connection, 'idempotency_records', idempotencySchema);
  }

  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const claim = { _id: `${request.keyId}:${request.idempotencyKey}`, claimId: randomUUID() };
    try {
      return await this.#claimAs(claim, request);
    } catch (failure) {
      // The claim may have been stored despite the failure.
      void this.expireLease(claim);
      throw failure;
    }
  }

  async #claimAs(
    { _id, claimId }: Pick<Claim, '_id' | 'claimId'>,
    { fingerprint, now }: ClaimRequest,
  ): Promise<ClaimResult> {
    const leaseEndsAt = new Date(now.getTime() + this.#leaseMs);
    const record = { fingerprint, claimId, writeId: claimId, leaseEndsAt, answer: null, createdAt: now };
    // The filter does not match a live record, so the upsert becomes an insert and fails on its _id.
    const replaced = this.#collection.replaceOne({ _id, ...expiredBy(now) }, record, { upsert: true });
    if (await nullOnDuplicateKey('_id', replaced)) return claimed({ ...record, _id }, null);
    const taken = await this.#collection.findOne({ _id });
    if (taken && taken.fingerprint !== fingerprint) return { state: 'differs' };
    const answer = taken?.answer ?? taken?.made;
    if (answer !== undefined) return { state: 'completed', response: this.#open(_id, answer) };
    const isLeaseOver = taken && taken.leaseEndsAt <= now;
    const isOurs = isLeaseOver && (await this.#takeOver(taken, { claimId, leaseEndsAt }));
    return isOurs ? claimed({ ...taken, claimId }, taken.createdAt) : { state: 'in_progress' };
  }

  /** Only one of several concurrent takeovers succeeds. */
  async #takeOver({ _id, claimId }: ClaimedRecord, next: Partial<IdempotencyRecord>): Promise<boolean> {
    const open = { _id, claimId, ...withoutResponse };
    return (await this.#collection.updateOne(open, { $set: next })).matchedCount === 1;
  }

  /** Stores the response for later calls. Never rejects, because the write has happened; a failure is retried later. */
  async complete({ _id, claimId }: Claim, response: string): Promise<void> {
    const answer = this.#seal(_id, response);
    const store = () => this.#collection.updateOne({ _id, claimId }, { $set: { answer } });
    await store().catch(() => this.#storeLater(store));
  }

  /** Part of the write's own transaction. Resolves to false when another call has taken the claim over. */
  async completeInTransaction(
    { _id, claimId }: Claim,
    response: string,
    session: ClientSession,
  ): Promise<boolean> {
    const made = { $set: { made: this.#seal(_id, response) } };
    return (await this.#collection.updateOne({ _id, claimId }, made, { session })).matchedCount === 1;
  }

  get isEncrypted(): boolean {
    return this.#vault.isUnlocked;
  }

  #seal(id: string, response: string): string {
    return this.isEncrypted ? sealed + this.#vault.opened.encryptResponse(id, response) : response;
  }

  #open(id: string, answer: string): string {
    if (!answer.startsWith(sealed)) return answer;
    return this.#vault.opened.decryptResponse(id, answer.slice(sealed.length));
  }

  async release({ _id, claimId }: Claim): Promise<void> {
    await this.#collection.deleteOne({ _id, claimId, ...withoutResponse });
  }

  /**
   * For a write that may or may not have happened: a retry can then repeat the write at once. While MongoDB is unreachable, this
   * is retried in the background, for all leases together. If that fails too, the lease ends on time.
   */
  async expireLease(lease: ExpiringLease): Promise<void> {
    await this.#storeExpiry(lease).catch(() => this.#storeLater(() => this.#storeExpiry(lease)));
  }

  async #storeExpiries(leases: ExpiringLease[]): Promise<null[]> {
    const ids = leases.map(({ _id }) => _id);
    const claimIds = leases.map(({ claimId }) => claimId);
    const filter = { _id: { $in: ids }, claimId: { $in: claimIds }, ...withoutResponse };
    await this.#collection.updateMany(filter, { $set: { leaseEndsAt: new Date(0) } });
    return leases.map(() => null);
  }
}

const withoutResponse = { answer: null, made: { $exists: false } } as const;

const claimed = ({ _id, claimId, writeId }: ClaimedRecord, earlierTryAt: Date | null): ClaimResult => ({
  state: 'claimed',
  claim: { _id, claimId, writeId, earlierTryAt },
});

/** Matches records past their retention: MongoDB's TTL monitor runs only once a minute. */
const expiredBy = (now: Date) => ({ createdAt: { $lte: new Date(now.getTime() - retentionSeconds * 1000) } });
