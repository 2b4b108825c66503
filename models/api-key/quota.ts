/** Issues and rotates the keys a user manages: at most 25 live ones, also under concurrent requests. */
import type { ClientSession, Connection, mongo } from 'mongoose';
import { liveKeysMax } from '../bounds.ts';
import { defineCollection } from '../support/collection.ts';
import { daySeconds } from '../support/durations.ts';
import type { ApiKeyRecord, ApiKeys, IssuedKey, NewApiKey } from './store.ts';

/** One per user, written by each change so that changes run one after another. */
interface KeyQuotaRecord {
  /** The user's id. */
  _id: number;
  changeCount: number;
  changedAt: Date;
}

export interface Rotation {
  userId: number;
  id: string;
  /** How long the old key stays valid next to the new one. */
  overlapMs: number;
  /** The new key lives no longer than this; null: as long as the old one would. */
  expiresBy?: Date | null;
  /** The new key has no others of the old one's scopes. */
  scopesKept: readonly string[];
  /** A key with one of these is not rotated. */
  scopesRefused?: readonly string[];
  /** Of the new key. */
  writeId?: string | undefined;
}

/** Stores what belongs to a new key together with it: once it is stored, nothing may fail before its secret is shown. */
export type RecordKey = (key: ApiKeyRecord, transaction: ClientSession) => Promise<void>;

type RotationRefusal = 'not_found' | 'replaced' | 'full' | 'scope_refused';

/** Longer than any change takes. */
const keptSeconds = daySeconds;

/** A change that needs the record makes it. */
const mark = { $inc: { changeCount: 1 }, $currentDate: { changedAt: true as const } };

export class ApiKeyQuota {
  readonly #connection: Connection;
  readonly #collection: mongo.Collection<KeyQuotaRecord>;
  readonly #apiKeys: ApiKeys;

  constructor(connection: Connection, apiKeys: ApiKeys) {
    this.#connection = connection;
    this.#collection = defineCollection(connection, 'key_rings', [
      [{ changedAt: 1 }, { expireAfterSeconds: keptSeconds }],
    ]);
    this.#apiKeys = apiKeys;
  }

  /** Issues a key; null when the user has `liveKeysMax`. */
  add(newKey: NewApiKey, now: Date, record?: RecordKey): Promise<IssuedKey | null> {
    return this.#change(newKey.userId, async (transaction) => {
      const live = await this.#apiKeys.listLive(newKey.userId, now, transaction);
      if (live.length >= liveKeysMax) return null;
      const issued = await this.#apiKeys.issue(newKey, now, transaction);
      await record?.(issued.key, transaction);
      return issued;
    });
  }

  /** Replaces a live key by one with the same name, scopes, restrictions and expiry; the old one ends after the overlap. */
  rotate(rotation: Rotation, now: Date, record?: RecordKey): Promise<IssuedKey | RotationRefusal> {
    const { userId, id, overlapMs, expiresBy = null, scopesKept, scopesRefused = [], writeId } = rotation;
    return this.#change(userId, async (transaction) => {
      const live = await this.#apiKeys.listLive(userId, now, transaction);
      const old = live.find(({ _id }) => _id === id);
      const refusal = refusalOf(old, live.length - (overlapMs === 0 ? 1 : 0));
      if (!old || refusal) return refusal ?? 'not_found';
      if (old.scopes.some((scope) => scopesRefused.includes(scope))) return 'scope_refused';
      const { name, callsPerMinute, servers, addresses } = old;
      const expiresAt = earlierOf(old.expiresAt, expiresBy);
      const scopes = old.scopes.filter((scope) => scopesKept.includes(scope));
      const newKey = { userId, name, scopes, servers, addresses, expiresAt, callsPerMinute, writeId };
      const issued = await this.#apiKeys.issue(newKey, now, transaction);
      const endsAt = new Date(now.getTime() + overlapMs);
      await this.#apiKeys.replace(old, { by: issued.key._id, endsAt }, transaction);
      await record?.(issued.key, transaction);
      return issued;
    });
  }

  /** Makes a transaction conflict with every concurrent change of these users' keys. */
  async lock(userIds: number[], transaction: ClientSession): Promise<void> {
    const updates = userIds.map((_id) => ({
      updateOne: { filter: { _id }, update: mark, upsert: true },
    }));
    await this.#collection.bulkWrite(updates, { session: transaction });
  }

  /** Runs a change as a transaction; concurrent changes of one user conflict on the quota record and retry. */
  async #change<Result>(userId: number, change: (transaction: ClientSession) => Promise<Result>) {
    await this.#collection.updateOne({ _id: userId }, mark, { upsert: true });
    return this.#connection.transaction(async (session) => {
      await this.#collection.updateOne({ _id: userId }, mark, { session });
      return change(session);
    });
  }
}

function refusalOf(old: ApiKeyRecord | undefined, liveBeside: number): RotationRefusal | null {
  if (!old) return 'not_found';
  if (old.replacedBy) return 'replaced';
  return liveBeside < liveKeysMax ? null : 'full';
}

/** Null: never. */
const earlierOf = (one: Date | null, other: Date | null) =>
  one && other ? (one < other ? one : other) : (one ?? other);
