/** Sign-in links: stored as a hash, valid once and for a minute; kept an hour longer to tell a late use from a second one. */
import { type Connection, Schema } from 'mongoose';
import { generateToken, hashToken } from './support/token.ts';

interface SignInLinkRecord {
  /** SHA-256 of the token. */
  _id: string;
  userId: number;
  expiresAt: Date;
  usedAt: Date | null;
}

export type LinkUse = { userId: number; refusal: null } | { userId: number | null; refusal: LinkRefusal };
type LinkRefusal = 'unknown' | 'used' | 'expired';

const lifetimeMs = 60_000;
const keptSeconds = 60 * 60;

const signInLinkSchema = new Schema<SignInLinkRecord>({
  _id: { type: String, required: true },
  userId: { type: Number, required: true },
  expiresAt: { type: Date, required: true, expires: keptSeconds },
  usedAt: { type: Date, default: null },
});

export class SignInLinks {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('SignInLink', signInLinkSchema, 'sign_in_links');
  }

  /** Creates a link. The token is returned once and not stored. */
  async create(userId: number, now: Date): Promise<{ token: string; expiresAt: Date }> {
    const token = generateToken();
    const expiresAt = new Date(now.getTime() + lifetimeMs);
    await this.#model.create({ _id: hashToken(token), userId, expiresAt });
    return { token, expiresAt };
  }

  /** Uses a link up; of concurrent uses one succeeds. */
  async use(token: string, now: Date): Promise<LinkUse> {
    const _id = hashToken(token);
    const valid = { _id, usedAt: null, expiresAt: { $gt: now } };
    const used = await this.#model.findOneAndUpdate(valid, { $set: { usedAt: now } }).lean();
    if (used) return { userId: used.userId, refusal: null };
    const link = await this.#model.findById(_id).lean();
    if (!link) return { userId: null, refusal: 'unknown' };
    return { userId: link.userId, refusal: link.usedAt ? 'used' : 'expired' };
  }
}
