/** Sign-in links: stored as a hash, valid once and for a short time; kept an hour longer to distinguish a late use from a second one. */
import { type ClientSession, type Connection, Schema } from 'mongoose';
import { hourSeconds, minuteMs } from './support/durations.ts';
import { generateToken, hashToken } from './support/secrets.ts';

interface SignInLinkRecord {
  /** SHA-256 of the token. */
  _id: string;
  userId: number;
  /** Of the key that created it; absent where the command line did. */
  keyId?: string;
  /** The address that it was mailed to, of which it proves that the user reads it; absent where others pass it on. */
  mailedTo?: string;
  expiresAt: Date;
  usedAt: Date | null;
}

interface NewLink extends Partial<Pick<SignInLinkRecord, 'keyId' | 'mailedTo'>> {
  lifetimeMs?: number;
}

type LinkUse =
  | { userId: number; keyId: string | undefined; mailedTo: string | undefined; refusal: null }
  | { userId: number | null; keyId?: undefined; mailedTo?: undefined; refusal: LinkRefusal };
type LinkRefusal = 'unknown' | 'used' | 'expired';

/** Of a link that a program creates for a redirect. */
const redirectLifetimeMs = minuteMs;
const keptSeconds = hourSeconds;

const signInLinkSchema = new Schema<SignInLinkRecord>({
  _id: { type: String, required: true },
  userId: { type: Number, required: true, index: true },
  keyId: { type: String },
  mailedTo: { type: String },
  expiresAt: { type: Date, required: true, expires: keptSeconds },
  usedAt: { type: Date, default: null },
});
signInLinkSchema.index({ keyId: 1 }, { sparse: true });

export class SignInLinks {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('SignInLink', signInLinkSchema, 'sign_in_links');
  }

  /** Creates a link. The token is returned once and not stored. */
  async create(
    userId: number,
    now: Date,
    { lifetimeMs = redirectLifetimeMs, ...made }: NewLink = {},
  ): Promise<{ token: string; expiresAt: Date }> {
    const token = generateToken();
    const expiresAt = new Date(now.getTime() + lifetimeMs);
    await this.#model.create({ _id: hashToken(token), userId, expiresAt, ...made });
    return { token, expiresAt };
  }

  /** Uses a link up; of concurrent uses one succeeds. */
  async use(token: string, now: Date, transaction?: ClientSession): Promise<LinkUse> {
    const valid = { _id: hashToken(token), usedAt: null, expiresAt: { $gt: now } };
    const update = { $set: { usedAt: now } };
    const used = await this.#model.findOneAndUpdate(valid, update, { session: transaction ?? null }).lean();
    if (used) return { userId: used.userId, keyId: used.keyId, mailedTo: used.mailedTo, refusal: null };
    const link = await this.read(token, now);
    return link.refusal ? link : { userId: link.userId, refusal: 'expired' };
  }

  /** What using a link would come to; it stays as it is. */
  async read(token: string, now: Date): Promise<LinkUse> {
    const link = await this.#model.findById(hashToken(token)).lean();
    if (!link) return { userId: null, refusal: 'unknown' };
    const { userId, keyId, mailedTo, usedAt, expiresAt } = link;
    if (usedAt) return { userId, refusal: 'used' };
    return expiresAt > now ? { userId, keyId, mailedTo, refusal: null } : { userId, refusal: 'expired' };
  }

  /** Deletes the links that these keys created. */
  async deleteMadeBy(keyIds: readonly string[], transaction: ClientSession): Promise<void> {
    await this.#model.deleteMany({ keyId: { $in: [...keyIds] } }, { session: transaction });
  }

  /** Deletes the links that were mailed to users whose password or address has been changed, or who are suspended. */
  async deleteMailed(userIds: readonly number[], transaction?: ClientSession): Promise<void> {
    const mailed = this.#model.deleteMany({ userId: { $in: [...userIds] }, mailedTo: { $exists: true } });
    await mailed.session(transaction ?? null);
  }

  /** Deletes the links of a user who is being deleted. */
  async deleteAll(userId: number, transaction: ClientSession): Promise<void> {
    await this.#model.deleteMany({ userId }, { session: transaction });
  }
}
