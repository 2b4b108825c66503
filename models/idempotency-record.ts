/**
 * Idempotency keys: of several calls that bring the same one, a single call claims it, in whatever process, and its
 * answer is kept for the others for 24 hours. A claim whose process died passes on after 45 seconds, to the same write.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Connection, Schema } from 'mongoose';
import { nullIfTaken } from './null-if-taken.ts';

interface IdempotencyRecord {
  /** The API key's id and the idempotency key, so that the index which makes them unique is there from the start. */
  _id: string;
  /** Of what was asked for. */
  fingerprint: string;
  /** Tells the claim from one that took its place. */
  claimId: string;
  /** The same for every claim that takes another's place, so that a store knows the write when it comes again. */
  writeId: string;
  /** When whoever has not answered is taken to be dead. */
  leaseEndsAt: Date;
  /** Null while the call is under way. */
  answer: string | null;
  createdAt: Date;
}

const keptSeconds = 24 * 60 * 60;
/** Longer than the longest call: the panel may take 28 seconds over a power signal. */
const leaseMs = 45_000;

const passingOn = { tries: 30, pauseMs: 1000 };

const idempotencyRecordSchema = new Schema<IdempotencyRecord>({
  _id: { type: String, required: true },
  fingerprint: { type: String, required: true },
  claimId: { type: String, required: true },
  writeId: { type: String, required: true },
  leaseEndsAt: { type: Date, required: true },
  answer: { type: String, default: null },
  createdAt: { type: Date, required: true, expires: keptSeconds },
});

export interface ClaimRequest {
  keyId: string;
  idempotencyKey: string;
  /** The same for two calls exactly when they ask for the same. */
  fingerprint: string;
  now: Date;
}

/** A right to make the call, which ends with `complete`, `release` or `passOn`. */
export type Claim = Pick<IdempotencyRecord, '_id' | 'claimId' | 'writeId'>;

export type ClaimOutcome =
  | { state: 'claimed'; claim: Claim }
  | { state: 'answered'; answer: string }
  /** Another call has it and has not answered yet. */
  | { state: 'under_way' }
  /** It was brought with something else. */
  | { state: 'differs' };

export class IdempotencyRecords {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('IdempotencyRecord', idempotencyRecordSchema, 'idempotency_records');
  }

  /** Claims an idempotency key that nobody has, or says what became of whoever has it. */
  async claim(request: ClaimRequest): Promise<ClaimOutcome> {
    const claim = { _id: `${request.keyId}:${request.idempotencyKey}`, claimId: randomUUID() };
    try {
      return await this.#claimAs(claim, request);
    } catch (failure) {
      // It may have been stored all the same.
      void this.passOn(claim);
      throw failure;
    }
  }

  async #claimAs(
    { _id, claimId }: Pick<Claim, '_id' | 'claimId'>,
    { fingerprint, now }: ClaimRequest,
  ): Promise<ClaimOutcome> {
    const leaseEndsAt = new Date(now.getTime() + leaseMs);
    const record = { fingerprint, claimId, writeId: claimId, leaseEndsAt, answer: null, createdAt: now };
    // Where a record is in force the filter misses it, and the insert then meets it.
    const replaced = this.#model.replaceOne({ _id, ...expiredBy(now) }, record, { upsert: true }).exec();
    if (await nullIfTaken('_id', replaced)) return { state: 'claimed', claim: { ...record, _id } };
    const taken = await this.#model.findById(_id).lean();
    if (taken && taken.fingerprint !== fingerprint) return { state: 'differs' };
    if (taken?.answer != null) return { state: 'answered', answer: taken.answer };
    const lapsed = taken && taken.leaseEndsAt <= now;
    const isOurs = lapsed && (await this.#takeOver(taken, { claimId, leaseEndsAt }));
    return isOurs ? { state: 'claimed', claim: { ...taken, claimId } } : { state: 'under_way' };
  }

  /** Of several who find a claim lapsed one has it. */
  async #takeOver({ _id, claimId }: Claim, next: Partial<IdempotencyRecord>): Promise<boolean> {
    const { matchedCount } = await this.#model.updateOne({ _id, claimId, answer: null }, { $set: next });
    return matchedCount === 1;
  }

  /** Keeps the answer for those who bring the idempotency key again. */
  async complete({ _id, claimId }: Claim, answer: string): Promise<void> {
    await this.#model.updateOne({ _id, claimId }, { $set: { answer } });
  }

  /** Gives the idempotency key back as if it had never been brought. */
  async release({ _id, claimId }: Claim): Promise<void> {
    await this.#model.deleteOne({ _id, claimId });
  }

  /**
   * Lets whoever asks again make the same write again: nobody knows whether it was made. Tries while the database is
   * away; in the end the claim runs out by itself.
   */
  async passOn({ _id, claimId }: Pick<Claim, '_id' | 'claimId'>): Promise<void> {
    const { tries, pauseMs } = passingOn;
    for (let tried = 0; tried < tries; tried += 1)
      try {
        await this.#model.updateOne({ _id, claimId, answer: null }, { $set: { leaseEndsAt: new Date(0) } });
        return;
      } catch {
        await setTimeout(pauseMs, undefined, { ref: false });
      }
  }
}

/** Which records no longer count: MongoDB sweeps only once a minute. */
const expiredBy = (now: Date) => ({ createdAt: { $lte: new Date(now.getTime() - keptSeconds * 1000) } });
