/** The keys a user holds and manages alone: at most 25 live ones, however many changes come at once. */
import { type ClientSession, type Connection, Schema } from 'mongoose';
import type { ApiKeyRecord, ApiKeys, IssuedKey, NewApiKey } from './api-key.ts';

export const liveKeysMax = 25;

interface KeyRingRecord {
  /** The user's id. */
  _id: number;
  changeCount: number;
}

export interface Rotation {
  userId: number;
  id: string;
  /** How long the old key lives on beside the new one. */
  overlapMs: number;
}

export type RotationRefusal = 'not_found' | 'replaced' | 'full';

const keyRingSchema = new Schema<KeyRingRecord>({
  _id: { type: Number, required: true },
  changeCount: { type: Number, default: 0 },
});

export class KeyRings {
  readonly #model;
  readonly #apiKeys: ApiKeys;

  constructor(connection: Connection, apiKeys: ApiKeys) {
    this.#model = connection.model('KeyRing', keyRingSchema, 'key_rings');
    this.#apiKeys = apiKeys;
  }

  /** Issues a key; null when the ring is full. */
  add(newKey: NewApiKey, now: Date): Promise<IssuedKey | null> {
    return this.#change(newKey.userId, async (transaction) => {
      const live = await this.#apiKeys.listLive(newKey.userId, now, transaction);
      return live.length < liveKeysMax ? this.#apiKeys.issue(newKey, now, transaction) : null;
    });
  }

  /** Issues a live key anew, with the same name, scopes and expiry; the old one ends after the overlap. */
  rotate({ userId, id, overlapMs }: Rotation, now: Date): Promise<IssuedKey | RotationRefusal> {
    return this.#change(userId, async (transaction) => {
      const live = await this.#apiKeys.listLive(userId, now, transaction);
      const old = live.find(({ _id }) => _id === id);
      const refusal = refusalOf(old, live.length - (overlapMs === 0 ? 1 : 0));
      if (!old || refusal) return refusal ?? 'not_found';
      const { name, scopes, expiresAt } = old;
      const issued = await this.#apiKeys.issue({ userId, name, scopes, expiresAt }, now, transaction);
      const endsAt = new Date(now.getTime() + overlapMs);
      await this.#apiKeys.replace(old, { by: issued.key._id, endsAt }, transaction);
      return issued;
    });
  }

  /** Runs a change as one transaction; another change of the same ring waits, since both write its record. */
  async #change<Outcome>(userId: number, change: (transaction: ClientSession) => Promise<Outcome>) {
    await this.#model.updateOne({ _id: userId }, { $setOnInsert: { changeCount: 0 } }, { upsert: true });
    return this.#model.db.transaction(async (session) => {
      await this.#model.updateOne({ _id: userId }, { $inc: { changeCount: 1 } }, { session });
      return change(session);
    });
  }
}

function refusalOf(old: ApiKeyRecord | undefined, liveBeside: number): RotationRefusal | null {
  if (!old) return 'not_found';
  if (old.replacedBy) return 'replaced';
  return liveBeside < liveKeysMax ? null : 'full';
}
