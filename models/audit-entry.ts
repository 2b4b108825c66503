/** The audit: one entry per call made with a key, by an app or with a session, kept 90 days. */
import { type ClientSession, type Connection, type QueryFilter, Schema, Types } from 'mongoose';
import { createBatcher } from './support/reads.ts';
import { collectFailures, insertAll, isDuplicateId } from './support/writes.ts';

const retentionSeconds = 90 * 24 * 60 * 60;

/** `view`: what the account page shows, beside `account`: sign-ins, sign-outs and changes on it. */
const vias = ['rest', 'trpc', 'mcp', 'account', 'view', 'oauth'] as const;

export interface AuditEntryRecord {
  at: Date;
  /** Null for a sign-in to an account that does not exist. */
  userId: number | null;
  /** Empty for a call made with a session or by an app. */
  keyId: string;
  /** Of a call by an app: the grant, and the app's client_id. */
  grantId?: string;
  clientId?: string;
  /** The procedure, e.g. "tickets.reply"; null when the call was refused before the procedure was known. */
  operation: string | null;
  /** The resource: a ticket id, a server identifier, a slug. */
  target: string | null;
  /** What of it, such as the path of a file; absent elsewhere. */
  detail?: string;
  /** Whose resource it is, where staff works on a customer's; absent elsewhere. */
  ownerId?: number;
  /** HTTP status and, for a refused call, the error code. */
  status: number;
  code: string | null;
  /** The caller's IP address. */
  address: string;
  requestId: string;
  via: (typeof vias)[number];
  /** Whether the key is restricted to servers, so that it may list its own entries. */
  isRestricted?: boolean;
  /** Of a key that was refused, which may be removed before this entry. */
  refusedKey?: RefusedKey;
}

/** How a key is shown that may no longer be stored. */
export interface RefusedKey {
  name: string;
  prefix: string;
}

export type StoredAuditEntry = AuditEntryRecord & { _id: Types.ObjectId };

/** An entry keeps its id, by which it is stored once, however often that is tried. */
export const withId = (entry: AuditEntryRecord): StoredAuditEntry => ({
  _id: new Types.ObjectId(),
  ...entry,
});

interface AuditPage {
  userId: number;
  /** Only the entries of this key, which is restricted to servers. */
  keyId?: string | undefined;
  /** Only entries older than the entry with this id, which must match the same filter. */
  before?: string | undefined;
  limit: number;
}

const auditEntrySchema = new Schema<AuditEntryRecord>({
  at: { type: Date, required: true, expires: retentionSeconds },
  userId: { type: Number, default: null },
  keyId: { type: String, default: '' },
  grantId: { type: String },
  clientId: { type: String },
  operation: { type: String, default: null },
  target: { type: String, default: null },
  detail: { type: String },
  ownerId: { type: Number },
  status: { type: Number, required: true },
  code: { type: String, default: null },
  address: { type: String, default: '' },
  requestId: { type: String, required: true },
  via: { type: String, enum: vias, required: true },
  isRestricted: { type: Boolean },
  refusedKey: { type: { name: String, prefix: String }, _id: false },
});
auditEntrySchema.index({ userId: 1, via: 1, at: -1, _id: -1 });
auditEntrySchema.index({ keyId: 1, at: -1, _id: -1 }, { partialFilterExpression: { isRestricted: true } });

const listedVias = vias.filter((via) => via !== 'view');

export class AuditEntries {
  readonly #model;
  /** Stores entries in one batch with those of concurrent callers; all are stored or all callers are rejected. */
  readonly storeBatched: (entries: readonly AuditEntryRecord[]) => Promise<null>;

  constructor(connection: Connection) {
    this.#model = connection.model('AuditEntry', auditEntrySchema, 'audit_entries');
    this.storeBatched = createBatcher(async (lists) => {
      await this.store(lists.flat());
      return lists.map(() => null);
    });
  }

  /**
   * Skips Mongoose: the entries are ours and need no casts, and there is one for every call.
   * @param entries those with an id may have been stored by an earlier try
   */
  async store(entries: readonly AuditEntryRecord[], transaction?: ClientSession): Promise<void> {
    const insert = () => insertAll(this.#model.collection, [...entries], transaction);
    const failed = [...(await collectFailures(insert)).values()].find((failure) => !isDuplicateId(failure));
    if (failed) throw failed;
  }

  /** Entries of one user or of all, newest first. */
  list({ userId, limit }: { userId?: number; limit: number }): Promise<AuditEntryRecord[]> {
    const filter = userId === undefined ? {} : { userId, via: { $in: vias } };
    return this.#model.find(filter, { _id: 0, __v: 0 }).sort({ at: -1 }).limit(limit).lean().exec();
  }

  /** What a user, or one key of theirs, did: newest first, without what they looked at on the account page. */
  async listOwned({ userId, keyId, before, limit }: AuditPage): Promise<StoredAuditEntry[]> {
    const filter: QueryFilter<AuditEntryRecord> =
      keyId === undefined ? { userId, via: { $in: listedVias } } : { userId, keyId, isRestricted: true };
    if (before === undefined) return this.#listNewest(filter, limit);
    const last = await this.#model.findOne({ ...filter, _id: before }, { at: 1 }).lean();
    if (!last) return [];
    const { at, _id } = last;
    return this.#listNewest({ ...filter, at: { $lte: at }, $nor: [{ at, _id: { $gte: _id } }] }, limit);
  }

  #listNewest(filter: QueryFilter<AuditEntryRecord>, limit: number): Promise<StoredAuditEntry[]> {
    return this.#model.find(filter, { __v: 0 }).sort({ at: -1, _id: -1 }).limit(limit).lean().exec();
  }
}
