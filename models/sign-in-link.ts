/** Sign-in links: stored as a hash, valid once and briefly. Kept an hour longer to distinguish a late use from a second use. */
import type { ClientSession, Connection, mongo } from 'mongoose';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';
import { hourSeconds, minuteMs } from './support/durations.ts';
import { generateToken, hashToken } from './support/secrets.ts';

const linkSchema = defineSchema({
  /** SHA-256 of the token. */
  _id: { type: String, required: true },
  userId: { type: Number, required: true },
  /** The key that created it; absent if the command line did. */
  keyId: { type: String, allowNull: false },
  /** The address that the link was mailed to. Using the link proves that the user reads mail there. Absent if others pass it on. */
  mailedTo: { type: String, allowNull: false },
  expiresAt: { type: Date, required: true },
  usedAt: { type: Date, default: null },
})
  .index({ userId: 1 })
  .index({ keyId: 1 }, { sparse: true })
  .index({ expiresAt: 1 }, { expireAfterSeconds: hourSeconds });

type SignInLinkRecord = RecordOf<typeof linkSchema>;

interface NewLink extends Partial<Pick<SignInLinkRecord, 'keyId' | 'mailedTo'>> {
  lifetimeMs?: number;
}

type LinkUse =
  | (Pick<SignInLinkRecord, 'userId' | 'keyId' | 'mailedTo'> & { refusal: null })
  | { userId: number | null; keyId?: never; mailedTo?: never; refusal: 'unknown' | 'used' | 'expired' };

/** For a link that a program creates for a redirect. */
const redirectLifetimeMs = minuteMs;

export class SignInLinks {
  readonly #collection: mongo.Collection<SignInLinkRecord>;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'sign_in_links', linkSchema);
  }

  async create(
    userId: number,
    now: Date,
    { lifetimeMs = redirectLifetimeMs, ...made }: NewLink = {},
  ): Promise<{ token: string; expiresAt: Date }> {
    const token = generateToken();
    const expiresAt = new Date(now.getTime() + lifetimeMs);
    const link = { _id: hashToken(token), userId, expiresAt, usedAt: null, ...made };
    await this.#collection.insertOne(link, { ignoreUndefined: true });
    return { token, expiresAt };
  }

  /** Only one of several concurrent uses succeeds. */
  async use(token: string, now: Date, transaction?: ClientSession): Promise<LinkUse> {
    const valid = { _id: hashToken(token), usedAt: null, expiresAt: { $gt: now } };
    const options = transaction ? { session: transaction } : {};
    const link = await this.#collection.findOneAndUpdate(valid, { $set: { usedAt: now } }, options);
    if (link) return useOf(link, now);
    const seen = await this.read(token, now);
    // The update above marked no link as used, so this call must not sign its user in.
    return seen.refusal ? seen : { userId: seen.userId, refusal: 'expired' };
  }

  /** Resolves to what `use` would return; changes nothing. */
  async read(token: string, now: Date): Promise<LinkUse> {
    return useOf(await this.#collection.findOne({ _id: hashToken(token) }), now);
  }

  async deleteMadeBy(keyIds: readonly string[], transaction: ClientSession): Promise<void> {
    await this.#collection.deleteMany({ keyId: { $in: [...keyIds] } }, { session: transaction });
  }

  async deleteMailed(userIds: readonly number[], transaction?: ClientSession): Promise<void> {
    const mailed = { userId: { $in: [...userIds] }, mailedTo: { $exists: true } };
    await this.#collection.deleteMany(mailed, transaction && { session: transaction });
  }

  async deleteAll(userId: number, transaction: ClientSession): Promise<void> {
    await this.#collection.deleteMany({ userId }, { session: transaction });
  }
}

function useOf(link: SignInLinkRecord | null, now: Date): LinkUse {
  if (!link) return { userId: null, refusal: 'unknown' };
  const { usedAt, expiresAt, ...from } = link;
  if (usedAt) return { userId: link.userId, refusal: 'used' };
  return expiresAt > now ? { ...from, refusal: null } : { userId: link.userId, refusal: 'expired' };
}
