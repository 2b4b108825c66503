/** Sign-in links: stored as a hash, valid once and for a short time; kept an hour longer to distinguish a late use from a second one. */
import { type ClientSession, type Connection, Schema } from 'mongoose';
import { generateToken, hashToken } from './support/secrets.ts';

interface SignInLinkRecord {
  /** SHA-256 of the token. */
  _id: string;
  userId: number;
  expiresAt: Date;
  usedAt: Date | null;
}

type LinkUse = { userId: number; refusal: null } | { userId: number | null; refusal: LinkRefusal };
type LinkRefusal = 'unknown' | 'used' | 'expired';

/** Of a link that a program creates for a redirect. */
const redirectLifetimeMs = 60_000;
const keptSeconds = 60 * 60;

const signInLinkSchema = new Schema<SignInLinkRecord>({
  _id: { type: String, required: true },
  userId: { type: Number, required: true, index: true },
  expiresAt: { type: Date, required: true, expires: keptSeconds },
  usedAt: { type: Date, default: null },
});

export class SignInLinks {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('SignInLink', signInLinkSchema, 'sign_in_links');
  }

  /** Creates a link. The token is returned once and not stored. */
  async create(
    userId: number,
    now: Date,
    lifetimeMs = redirectLifetimeMs,
  ): Promise<{ token: string; expiresAt: Date }> {
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
    const link = await this.read(token, now);
    return link.refusal ? link : { ...link, refusal: 'expired' };
  }

  /** What using a link would come to; it stays as it is. */
  async read(token: string, now: Date): Promise<LinkUse> {
    const link = await this.#model.findById(hashToken(token)).lean();
    if (!link) return { userId: null, refusal: 'unknown' };
    const { userId, usedAt, expiresAt } = link;
    if (usedAt) return { userId, refusal: 'used' };
    return { userId, refusal: expiresAt > now ? null : 'expired' };
  }

  /** Deletes the links of a user who is being deleted. */
  async deleteAll(userId: number, transaction: ClientSession): Promise<void> {
    await this.#model.deleteMany({ userId }, { session: transaction });
  }
}
