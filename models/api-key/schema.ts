/** An API key as stored: everything but its secret. */
import { Schema } from 'mongoose';
import { daySeconds } from '../support/durations.ts';

export interface ApiKeyRecord {
  _id: string;
  userId: number;
  name: string;
  hash: string;
  /** The first characters of the secret, for display. */
  prefix: string;
  scopes: string[];
  createdAt: Date;
  /** Null: never expires. */
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** `leaked`: it was reported as leaked; null: its owner or an operator revoked it. */
  revokedReason?: 'leaked' | null;
  /** Set while the owner is suspended, so that verifying a key reads nothing but the key. */
  suspendedAt?: Date | null;
  /** The only servers that it reaches; null: all of its owner's. */
  servers?: string[] | null;
  /** The only addresses and ranges that it is used from; null: any. */
  addresses?: string[] | null;
  /** The key's own limit; null: the service's. */
  callsPerMinute?: number | null;
  /** Id of the key that replaced it. */
  replacedBy: string | null;
  /** Accurate to the minute; null: never used. */
  lastUsedAt: Date | null;
  /** The same at each try of the write that made it. */
  writeId?: string | undefined;
}

/** As long as the audit is kept, which names keys. */
const keptEndedSeconds = 90 * daySeconds;

/** An owner's live keys, and those that ended by when they did. */
export const byOwner = { userId: 1, revokedAt: 1, expiresAt: 1 } as const;

export const apiKeySchema = new Schema<ApiKeyRecord>({
  _id: { type: String, required: true },
  userId: { type: Number, required: true },
  name: { type: String, required: true },
  hash: { type: String, required: true, unique: true },
  prefix: { type: String, required: true },
  scopes: { type: [String], required: true },
  createdAt: { type: Date, required: true },
  expiresAt: { type: Date, default: null, expires: keptEndedSeconds },
  revokedAt: { type: Date, default: null, expires: keptEndedSeconds },
  revokedReason: { type: String, default: null },
  suspendedAt: { type: Date, default: null },
  servers: { type: [String], default: null },
  addresses: { type: [String], default: null },
  callsPerMinute: { type: Number, default: null },
  replacedBy: { type: String, default: null },
  lastUsedAt: { type: Date, default: null },
  writeId: { type: String },
});
apiKeySchema.index(byOwner);

/** The id decides between equal times. */
export const byExpiry = { expiresAt: 1, _id: 1 } as const;
