/** The audit: one entry per call made with a key, by an app or with a session, kept 90 days. */
import { type Connection, Schema } from 'mongoose';
import { createBatcher } from './support/batcher.ts';
import { insertAll } from './support/bulk-write.ts';

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
  via: 'rest' | 'trpc' | 'mcp' | 'account' | 'oauth';
}

const retentionSeconds = 90 * 24 * 60 * 60;

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
  via: { type: String, enum: ['rest', 'trpc', 'mcp', 'account', 'oauth'], required: true },
});
auditEntrySchema.index({ userId: 1, at: -1 });

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

  /** Skips Mongoose: the entries are ours, and the driver is several times faster than hydrated documents. */
  async store(entries: readonly AuditEntryRecord[]): Promise<void> {
    await insertAll(
      this.#model.collection,
      entries.map((entry) => ({ ...entry })),
    );
  }

  /** Entries of one user or of all, newest first. */
  list({ userId, limit }: { userId?: number; limit: number }): Promise<AuditEntryRecord[]> {
    const filter = userId === undefined ? {} : { userId };
    return this.#model.find(filter, { _id: 0, __v: 0 }).sort({ at: -1 }).limit(limit).lean().exec();
  }
}
