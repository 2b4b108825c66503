/** What is kept of an API key: everything but its secret. */
import { Schema } from 'mongoose';

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
  /** The key that was issued in its place. */
  replacedBy: string | null;
  /** To the minute; null: never used. */
  lastUsedAt: Date | null;
}

export const apiKeySchema = new Schema<ApiKeyRecord>({
  _id: { type: String, required: true },
  userId: { type: Number, required: true, index: true },
  name: { type: String, required: true },
  hash: { type: String, required: true, unique: true },
  prefix: { type: String, required: true },
  scopes: { type: [String], required: true },
  createdAt: { type: Date, required: true },
  expiresAt: { type: Date, default: null },
  revokedAt: { type: Date, default: null },
  replacedBy: { type: String, default: null },
  lastUsedAt: { type: Date, default: null },
});
