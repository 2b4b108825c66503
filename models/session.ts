/**
 * Sessions of the account page: a random token in a cookie, stored as a hash. A session ends after two hours without use, after
 * a day, at sign-out, and when the user's password changes. A session that waits for a second factor gives no access yet.
 */
import type { ClientSession, Connection, mongo } from 'mongoose';
import { sessionsMax } from './bounds.ts';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';
import { dayMs, hourMs, minuteMs } from './support/durations.ts';
import { generateToken, hashToken } from './support/secrets.ts';
import { createUseRecorder } from './support/writes.ts';
import type { UserRecord, Users } from './user.ts';

const sessionSchema = defineSchema({
  /** SHA-256 of the token. */
  _id: { type: String, required: true },
  userId: { type: Number, required: true },
  /** Hash of the password hash and `sessionsEndedAt` at sign-in. A change to either ends the session. */
  passwordStamp: { type: String, required: true },
  /** From the browser's description of itself, for example "Firefox on Windows". */
  device: { type: String, default: null },
  /** The user signed in at the identity provider, so signing out may also end a session there. */
  isSingleSignOn: { type: Boolean, required: true },
  /** A key that manages users can create links, so a session from one gives no lasting administrator rights, such as a key. */
  isFromLink: { type: Boolean, required: true },
  /** The key that created the link, or whose link led to the password or passkey that was given; otherwise absent. */
  linkKeyId: { type: String, allowNull: false },
  /** The address to which the link was mailed, if no key created it and the session has set no password since. */
  mailedTo: { type: String, allowNull: false },
  /** True while it waits for its user's second factor; otherwise absent. */
  isPending: { type: Boolean, allowNull: false },
  /** When a second factor or a passkey was last used. */
  factorAt: { type: Date, allowNull: false },
  /** When a second factor was used at the identity provider, according to the provider. */
  providerFactorAt: { type: Date, allowNull: false },
  createdAt: { type: Date, required: true },
  lastSeenAt: { type: Date, required: true },
  expiresAt: { type: Date, required: true },
})
  .index({ userId: 1 })
  .index({ linkKeyId: 1 }, { sparse: true })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export type SessionRecord = RecordOf<typeof sessionSchema>;

type Times = 'createdAt' | 'lastSeenAt' | 'expiresAt';
type Beginning = Omit<SessionRecord, '_id' | 'userId' | 'passwordStamp' | Times>;

export type NewSession = { user: UserRecord } & {
  [Field in keyof Beginning]?: Beginning[Field] | undefined;
};

export interface VerifiedSession extends Omit<SessionRecord, '_id'> {
  id: string;
  user: UserRecord;
  /** Whether the user has recently proven to read mail at their address. Then a new password does not require the old one. */
  hasProvenEmail: boolean;
  /** Whether a second factor was used in the last twelve hours, here or at the identity provider. */
  isTwoFactor: boolean;
  /** Whether a second factor was used here in the last ten minutes. */
  hasJustShownFactor: boolean;
}

const idleMs = 2 * hourMs;
/** How long a mailed link suffices to set a password. */
const mailedMs = hourMs;
const pendingMs = 10 * minuteMs;
/** Part of the public contract. */
const strongMs = 12 * hourMs;
const freshMs = 10 * minuteMs;

const ofState = ({ isPending }: { isPending?: boolean | undefined }) => ({
  isPending: isPending ?? { $exists: false },
});

const stampOf = ({ passwordHash, sessionsEndedAt }: UserRecord) =>
  hashToken((passwordHash ?? '') + (sessionsEndedAt?.toISOString() ?? ''));

export class Sessions {
  readonly #collection: mongo.Collection<SessionRecord>;
  readonly #users: Users;
  readonly #recordUse;

  constructor(connection: Connection, users: Users) {
    this.#collection = defineCollection(connection, 'sessions', sessionSchema);
    this.#users = users;
    this.#recordUse = createUseRecorder(connection, 'sessions', 'lastSeenAt');
  }

  async open(
    { user, ...from }: NewSession,
    now: Date,
    transaction?: ClientSession,
  ): Promise<{ token: string; expiresAt: Date }> {
    const token = generateToken();
    const expiresAt = new Date(now.getTime() + (from.isPending ? pendingMs : dayMs));
    const kind = { device: null, isSingleSignOn: false, isFromLink: false, ...from };
    const ofUser = { userId: user._id, passwordStamp: stampOf(user) };
    const times = { createdAt: now, lastSeenAt: now, expiresAt };
    // `ignoreUndefined` drops the undefined fields that the type does not allow.
    const session = { _id: hashToken(token), ...ofUser, ...kind, ...times } as SessionRecord;
    const options = { ignoreUndefined: true, ...(transaction && { session: transaction }) };
    await this.#collection.insertOne(session, options);
    if (!from.isPending) await this.#users.recordSignIn(user._id, now, transaction);
    await this.#endOldest({ userId: user._id, ...ofState(from) }, transaction);
    return { token, expiresAt };
  }

  /** Pending sessions are bounded separately, so someone who knows only the password cannot end the others. */
  async #endOldest(alike: mongo.Filter<SessionRecord>, transaction?: ClientSession): Promise<void> {
    const within = transaction && { session: transaction };
    const options = {
      projection: { _id: 1 },
      sort: { lastSeenAt: -1 },
      skip: sessionsMax,
      ...within,
    } as const;
    const beyond = await this.#collection.find(alike, options).toArray(); // few, because every sign-in ends the surplus
    const ids = beyond.map(({ _id }) => _id);
    if (ids.length > 0) await this.#collection.deleteMany({ _id: { $in: ids } }, within);
  }

  async verify(token: string, now: Date): Promise<VerifiedSession | null> {
    const session = await this.verifyOrPending(token, now);
    return session?.isPending ? null : session;
  }

  async verifyOrPending(token: string, now: Date): Promise<VerifiedSession | null> {
    const session = await this.#collection.findOne({ _id: hashToken(token) });
    if (!session || session.expiresAt <= now) return null;
    const unusedMs = now.getTime() - session.lastSeenAt.getTime();
    if (unusedMs >= idleMs) return null;
    const user = await this.#users.find(session.userId);
    if (!user?.isActive || stampOf(user) !== session.passwordStamp) return null;
    this.#recordUse(session._id, session.lastSeenAt, now);
    const { _id: id, ...stored } = session;
    const { mailedTo, factorAt, providerFactorAt } = session;
    const isWithin = (since: Date | undefined, ms: number) =>
      since !== undefined && now.getTime() - since.getTime() <= ms;
    return {
      ...stored,
      id,
      user,
      hasProvenEmail: mailedTo === user.email && isWithin(session.createdAt, mailedMs),
      isTwoFactor: isWithin(factorAt, strongMs) || isWithin(providerFactorAt, strongMs),
      hasJustShownFactor: isWithin(factorAt, freshMs),
    };
  }

  async recordFactor(id: string, factorAt: Date, transaction?: ClientSession): Promise<boolean> {
    const { matchedCount } = await this.#collection.updateOne(
      { _id: id },
      { $set: { factorAt } },
      transaction && { session: transaction },
    );
    return matchedCount === 1;
  }

  list(user: UserRecord, now: Date): Promise<SessionRecord[]> {
    const live = {
      userId: user._id,
      ...ofState({}),
      passwordStamp: stampOf(user),
      expiresAt: { $gt: now },
      lastSeenAt: { $gt: new Date(now.getTime() - idleMs) },
    };
    return this.#collection.find(live, { sort: { lastSeenAt: -1, _id: 1 }, limit: sessionsMax }).toArray();
  }

  async endOwned(userId: number, id: string, session: ClientSession): Promise<boolean> {
    const { deletedCount } = await this.#collection.deleteOne({ _id: id, userId }, { session });
    return deletedCount === 1;
  }

  async endOthers(userId: number, id: string, session: ClientSession): Promise<void> {
    await this.#collection.deleteMany({ userId, _id: { $ne: id } }, { session });
  }

  async endMadeBy(keyIds: readonly string[], transaction: ClientSession): Promise<void> {
    await this.#collection.deleteMany({ linkKeyId: { $in: [...keyIds] } }, { session: transaction });
  }

  /** Sessions that a mailed link opened no longer prove that the user reads that mail. */
  async clearMailProof(userIds: readonly number[], transaction: ClientSession): Promise<void> {
    const fromMail = { userId: { $in: [...userIds] }, mailedTo: { $exists: true } };
    await this.#collection.updateMany(fromMail, { $unset: { mailedTo: 1 } }, { session: transaction });
  }

  async endAll(userIds: number[], transaction: ClientSession): Promise<void> {
    await this.#collection.deleteMany({ userId: { $in: userIds } }, { session: transaction });
  }

  async end(id: string, transaction?: ClientSession): Promise<void> {
    await this.#collection.deleteOne({ _id: id }, transaction && { session: transaction });
  }
}
