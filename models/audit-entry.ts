/** The audit: one entry per call made with a key, by an app or with a session, kept for 90 days. */
import { type ClientSession, type Connection, type mongo, Types } from 'mongoose';
import { createBatcher } from './support/batcher.ts';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';
import { daySeconds } from './support/durations.ts';
import { matchAfter } from './support/pages.ts';
import { insertMissing } from './support/writes.ts';

const retentionSeconds = 90 * daySeconds;

/** `account`: sign-ins, sign-outs and changes on the account page. `view`: reads for that page. */
const vias = ['rest', 'trpc', 'mcp', 'account', 'view', 'oauth'] as const;

/** The name and prefix are copied from a key that has ended, because the entry may outlive the key. */
export const refusedKeySchema = defineSchema({
  name: { type: String, required: true },
  prefix: { type: String, required: true },
});

export type RefusedKey = RecordOf<typeof refusedKeySchema>;

const auditEntrySchema = defineSchema({
  at: { type: Date, required: true },
  /** Null for a sign-in to an account that does not exist. */
  userId: { type: Number, default: null },
  /** Empty for a call made with a session or by an app. */
  keyId: { type: String, required: true },
  /** The grant and the app's client_id, for a call by an app. */
  grantId: { type: String, allowNull: false },
  clientId: { type: String, allowNull: false },
  /** The procedure, e.g. "tickets.reply"; null when the call was refused before the procedure was known. */
  operation: { type: String, default: null },
  target: { type: String, default: null },
  /** A part of the target, such as the path of a file; otherwise absent. */
  detail: { type: String, allowNull: false },
  /** The owner of the target, when staff works on a customer's resource; otherwise absent. */
  ownerId: { type: Number, allowNull: false },
  status: { type: Number, required: true },
  code: { type: String, default: null },
  address: { type: String, required: true },
  requestId: { type: String, required: true },
  via: { type: String, enum: vias, required: true },
  /** Whether the key is restricted to servers. A restricted key may list only its own entries. */
  isRestricted: { type: Boolean, allowNull: false },
  refusedKey: { type: refusedKeySchema, allowNull: false },
})
  .index({ userId: 1, via: 1, at: -1, _id: -1 })
  .index({ keyId: 1, at: -1, _id: -1 }, { partialFilterExpression: { isRestricted: true } })
  .index({ at: 1 }, { expireAfterSeconds: retentionSeconds });

export type AuditEntryRecord = RecordOf<typeof auditEntrySchema>;

export type StoredAuditEntry = AuditEntryRecord & { _id: Types.ObjectId };

/** The id makes retries safe: a second write of the same entry stores nothing. */
export const withId = (entry: AuditEntryRecord): StoredAuditEntry => ({
  _id: new Types.ObjectId(),
  ...entry,
});

interface AuditPage {
  userId: number;
  keyId?: string | undefined;
  /** Only entries older than the entry with this id, which must match the same filter. */
  before?: string | undefined;
  limit: number;
}

const listedVias = vias.filter((via) => via !== 'view');

const newestFirst = { at: -1, _id: -1 } as const;

export class AuditEntries {
  readonly #collection: mongo.Collection<AuditEntryRecord>;
  /** Stores the entries of concurrent callers in one batch: all are stored, or all callers are rejected. */
  readonly storeBatched: (entries: readonly AuditEntryRecord[]) => Promise<null>;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'audit_entries', auditEntrySchema);
    this.storeBatched = createBatcher(async (lists) => {
      await this.store(lists.flat());
      return lists.map(() => null);
    });
  }

  async store(entries: readonly AuditEntryRecord[], transaction?: ClientSession): Promise<void> {
    await insertMissing(this.#collection, entries, transaction);
  }

  list({ userId, limit }: { userId?: number; limit: number }): Promise<AuditEntryRecord[]> {
    const filter = userId === undefined ? {} : { userId, via: { $in: vias } };
    const options = { projection: { _id: 0 }, sort: { at: -1 }, limit } as const;
    return this.#collection.find<AuditEntryRecord>(filter, options).toArray();
  }

  async listOwned({ userId, keyId, before, limit }: AuditPage): Promise<StoredAuditEntry[]> {
    const filter: mongo.Filter<StoredAuditEntry> =
      keyId === undefined ? { userId, via: { $in: listedVias } } : { userId, keyId, isRestricted: true };
    if (before === undefined) return this.#listNewest(filter, limit);
    const last = await this.#collection.findOne({ ...filter, _id: new Types.ObjectId(before) });
    if (!last) return [];
    return this.#listNewest({ ...filter, ...matchAfter<'at' | '_id'>(newestFirst, last) }, limit);
  }

  #listNewest(filter: mongo.Filter<StoredAuditEntry>, limit: number): Promise<StoredAuditEntry[]> {
    return this.#collection.find(filter, { sort: newestFirst, limit }).toArray();
  }
}
