/** The audit: one entry per call made with a key, by an app or with a session, kept 90 days. */
import { randomBytes } from 'node:crypto';
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

/** Entries with their numbers, by which each is stored once, however often it is tried. */
export interface AuditBatch {
  /** The count of the first. */
  first: number;
  entries: readonly StoredAuditEntry[];
}

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
  /** This process. */
  readonly writer: AuditWriter;
  /** Stores entries in one batch with those of concurrent callers; all are stored or all callers are rejected. */
  readonly storeBatched: (entries: readonly AuditEntryRecord[]) => Promise<null>;

  constructor(connection: Connection) {
    this.#model = connection.model('AuditEntry', auditEntrySchema, 'audit_entries');
    this.writer = new AuditWriter(connection);
    this.storeBatched = createBatcher(async (lists) => {
      await this.store(lists.flat());
      return lists.map(() => null);
    });
  }

  /**
   * Stores entries in one try.
   * @param transaction only for entries of no key and no app: a call's entry must be visible when this resolves, to be counted
   */
  async store(entries: readonly AuditEntryRecord[], transaction?: ClientSession): Promise<void> {
    const batch = this.writer.number(entries);
    await this.storeBatch(batch, transaction).finally(() => this.writer.settle(batch));
  }

  /**
   * Stores a batch, of which an earlier try may have stored entries before it failed, and settles it.
   * Skips Mongoose: the entries are ours and need no casts, and there is one for every call.
   */
  async storeBatch(batch: AuditBatch, transaction?: ClientSession): Promise<void> {
    await this.writer.open();
    const insert = () => insertAll(this.#model.collection, [...batch.entries], transaction);
    const failed = [...(await collectFailures(insert)).values()].find((failure) => !isDuplicateId(failure));
    if (failed) throw failed;
    this.writer.settle(batch);
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

export interface AuditWriterRecord {
  /** Its number 0, which no entry has. */
  _id: Types.ObjectId;
  /** Its entries up to this number are counted. */
  countedTo: Types.ObjectId;
  aliveAt: Date;
  /** Whether it may have entries that are not counted. */
  isOpen: boolean;
}

const writerSchema = new Schema<AuditWriterRecord>({
  _id: { type: Schema.Types.ObjectId, required: true },
  countedTo: { type: Schema.Types.ObjectId, required: true },
  aliveAt: { type: Date, required: true, expires: retentionSeconds },
  isOpen: { type: Boolean, required: true },
});
writerSchema.index({ isOpen: 1, aliveAt: 1 });

const modelOf = (connection: Connection) => connection.model('AuditWriter', writerSchema, 'audit_writers');

/** The number after all that this writer's entries can have. */
export const endOf = (writer: Types.ObjectId): Types.ObjectId =>
  new Types.ObjectId(Buffer.concat([writer.id.subarray(0, writerBytes), lastBytes]));

/** An entry's number is an ObjectId whose first bytes are the writer's, at random, and whose others count up. */
const writerBytes = 5;
const countAt = 6;
const countBytes = 6;
const lastBytes = Buffer.alloc(1 + countBytes, 0xff);

/**
 * One process as a writer of the audit. It numbers the entries that it stores, and a record of it says up to which one they
 * are counted, so that another process can count what a process left uncounted that was killed.
 */
class AuditWriter {
  readonly #model;
  readonly #prefix = randomBytes(writerBytes);
  #lastCount = 0;
  /** The counts of the first entry of each batch that may still be stored. */
  readonly #unsettled = new Set<number>();
  #opening: Promise<unknown> | null = null;

  constructor(connection: Connection) {
    this.#model = modelOf(connection);
  }

  get id(): Types.ObjectId {
    return this.#numberOf(0);
  }

  /** Every entry up to this number is stored, or is not going to be. */
  get settledTo(): Types.ObjectId {
    return this.#numberOf(Math.min(this.#lastCount, ...[...this.#unsettled].map((first) => first - 1)));
  }

  number(entries: readonly AuditEntryRecord[]): AuditBatch {
    const first = this.#lastCount + 1;
    this.#lastCount += entries.length;
    this.#unsettled.add(first);
    return {
      first,
      entries: entries.map((entry, index) => ({ _id: this.#numberOf(first + index), ...entry })),
    };
  }

  /** The batch is stored, or is not going to be. */
  settle({ first }: AuditBatch): void {
    this.#unsettled.delete(first);
  }

  /** Makes the writer known to the database, before its first entry. */
  async open(): Promise<void> {
    const open = { $set: { isOpen: true, aliveAt: new Date() }, $setOnInsert: { countedTo: this.id } };
    this.#opening ??= this.#model.updateOne({ _id: this.id }, open, { upsert: true }).exec();
    try {
      await this.#opening;
    } catch (failure) {
      this.#opening = null;
      throw failure;
    }
  }

  #numberOf(count: number): Types.ObjectId {
    const bytes = Buffer.alloc(writerBytes + 1 + countBytes);
    this.#prefix.copy(bytes);
    bytes.writeUIntBE(count, countAt, countBytes);
    return new Types.ObjectId(bytes);
  }
}
