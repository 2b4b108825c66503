/** Users, who own servers, tickets and keys. An e-mail address belongs to one user and is stored in lower case. */
import type { ClientSession, Connection, mongo } from 'mongoose';
import { type NoticeKind, noticeKinds } from './outbox/event-types.ts';
import type { Sequences } from './sequence.ts';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';
import { escapeRegExp, filterByWords, fold } from './support/fold.ts';
import { matchAfter } from './support/pages.ts';
import { limitByKey } from './support/queue.ts';
import { createLoader } from './support/reads.ts';
import { decoyHash, hashPassword, verifyPassword } from './support/secrets.ts';
import { isDuplicateKey, nullOnDuplicateKey } from './support/writes.ts';

/** The values by which the panel user was looked up. */
const panelUserKeySchema = defineSchema({
  externalId: { type: String, required: true },
  email: { type: String, required: true },
});

const emailChangeSchema = defineSchema({
  keyId: { type: String, required: true },
  at: { type: Date, required: true },
});

const userSchema = defineSchema({
  _id: { type: Number, required: true },
  email: { type: String, required: true },
  /** Null for a user who signs in without a password. */
  passwordHash: { type: String, default: null },
  /** The key whose sign-in link led to the session that set the password; null or missing: none did. */
  passwordKeyId: String,
  firstName: { type: String, default: null },
  lastName: { type: String, default: null },
  nickname: { type: String, default: null },
  /** The folded e-mail address, external id and names. */
  folded: { type: String, default: '' },
  isAdmin: { type: Boolean, required: true },
  /** May read and answer all tickets. */
  isSupport: { type: Boolean, default: false },
  chatId: { type: String, default: null },
  chatUsername: { type: String, default: null },
  chatAvatarUrl: { type: String, default: null },
  /** The id in the provisioning panel, unique among users; null: no servers, or not looked up yet. */
  panelUserId: { type: Number, default: null },
  /** The values by which the panel user was found; missing or null: the host has set the panel user, or there is none. */
  panelUserFoundBy: panelUserKeySchema,
  /** The id in the host's own system; null for a user that it does not provision. */
  externalId: { type: String, default: null },
  /** False while suspended: keys and sessions are refused. */
  isActive: { type: Boolean, required: true },
  /** When all sessions were last ended, including those of sign-ins that were in progress. */
  sessionsEndedAt: { type: Date, default: null },
  /** When the first session began; null or missing: the user has never signed in. */
  firstSignInAt: Date,
  /** When the newest session began; null or missing: none since this is recorded. */
  lastSignInAt: Date,
  /** Whether signing in requires a second factor; missing: no. */
  hasSecondFactor: { type: Boolean, allowNull: false },
  /** Kinds of notices that are not sent; missing: all are sent. */
  noticesOff: { type: [{ type: String, enum: noticeKinds }], allowNull: false, default: undefined },
  /** When the user was first invited by mail; null or missing: never. */
  invitedAt: Date,
  /**
   * The host's key that last created the user, changed the address or set the panel user. Null or missing: none did, or the
   * address has since been changed in another way.
   */
  emailChangedBy: emailChangeSchema,
  createdAt: { type: Date, required: true },
  updatedAt: { type: Date, required: true },
})
  .index({ email: 1 }, { unique: true })
  .index({ externalId: 1 }, { unique: true, partialFilterExpression: { externalId: { $gt: '' } } })
  .index({ panelUserId: 1 }, { unique: true, partialFilterExpression: { panelUserId: { $gt: 0 } } })
  .index({ passwordKeyId: 1 }, { partialFilterExpression: { passwordKeyId: { $gt: '' } } })
  .index({ isActive: 1, _id: 1 });

export type UserRecord = RecordOf<typeof userSchema>;

/** The fields of a user with nothing but an e-mail address. */
export const newUser = {
  passwordHash: null,
  firstName: null,
  lastName: null,
  nickname: null,
  isAdmin: false,
  isSupport: false,
  chatId: null,
  chatUsername: null,
  chatAvatarUrl: null,
  panelUserId: null,
  externalId: null,
  isActive: true,
  sessionsEndedAt: null,
  firstSignInAt: null,
};

type Profile = Pick<UserRecord, Exclude<keyof typeof newUser, 'passwordHash' | 'isActive' | `${string}At`>>;

export interface NewUser extends Partial<Profile> {
  email: string;
  password?: string;
}

export type UserChanges = Partial<
  Pick<UserRecord, 'isAdmin' | 'isSupport' | 'externalId' | 'panelUserId'>
> & { password?: string };

interface NoticeChanges {
  on?: readonly NoticeKind[];
  off?: readonly NoticeKind[];
}

type Implied = Partial<Pick<UserRecord, 'passwordHash' | 'passwordKeyId' | 'sessionsEndedAt' | 'folded'>>;

type Searched = Pick<UserRecord, 'email' | 'externalId' | 'firstName' | 'lastName' | 'nickname'>;

export const foldUser = ({ email, externalId, firstName, lastName, nickname }: Searched): string =>
  fold([email, externalId, firstName, lastName, nickname].join('\n'));

type Taken = 'external_id_taken' | 'panel_user_taken';

/** The unique field that made a write fail, because another user has its value; null for any other failure. */
export function findTakenField(failure: unknown): Taken | null {
  if (!isDuplicateKey(failure)) return null;
  return Object.hasOwn(failure['keyPattern'] ?? {}, 'panelUserId') ? 'panel_user_taken' : 'external_id_taken';
}

export type PanelLookupUser = Pick<
  UserRecord,
  '_id' | 'email' | 'panelUserId' | 'panelUserFoundBy' | 'externalId'
>;

/** Undefined fields match all. */
interface UserFilter {
  email?: string | undefined;
  /** Part of the e-mail address; case is ignored. */
  emailPart?: string | undefined;
  /** Each word must occur in the e-mail address, the external id or a name, compared as folded text. */
  search?: string | undefined;
  role?: UserRole | undefined;
  isActive?: boolean | undefined;
  hasNeverSignedIn?: true | undefined;
  isUninvited?: true | undefined;
  hasPanelUser?: true | undefined;
  after: number;
  limit: number;
}

const byId = { _id: 1 } as const;

export class Users {
  /** In order within this process: a user's writes change the same documents, so concurrent ones would only conflict. */
  readonly writeInOrder = limitByKey<number>({ runningMax: 1 });
  readonly #sequences: Sequences;
  /** Public because `Provisioning` changes many users in a transaction. */
  readonly collection: mongo.Collection<UserRecord>;
  readonly find: (id: number) => Promise<UserRecord | null>;

  constructor(connection: Connection, sequences: Sequences) {
    this.collection = defineCollection(connection, 'users', userSchema);
    this.#sequences = sequences;
    this.find = createLoader<UserRecord, number>(connection, 'users', '_id');
  }

  findInTransaction(id: number, session: ClientSession): Promise<UserRecord | null> {
    return this.collection.findOne({ _id: id }, { session });
  }

  /** Resolves to false for a deleted user, too. */
  async isActive(id: number, session?: ClientSession): Promise<boolean> {
    return (await this.collection.findOne({ _id: id, isActive: true }, within(session))) !== null;
  }

  findByEmail(email: string): Promise<UserRecord | null> {
    return this.collection.findOne({ email });
  }

  /** Without a user, the check takes as long and resolves to false. */
  verifyPassword(user: UserRecord | null, password: string): Promise<boolean> {
    return verifyPassword(user?.passwordHash ?? decoyHash, password);
  }

  findByExternalId(externalId: string): Promise<UserRecord | null> {
    return this.collection.findOne({ externalId });
  }

  findByPanelUser(panelUserId: number): Promise<UserRecord | null> {
    return this.collection.findOne({ panelUserId });
  }

  /** Null when the user is gone, has a different password by now, or may have lost the session that sets the new one. */
  setPassword(
    { _id, passwordHash: known, sessionsEndedAt }: UserRecord,
    passwordHash: string,
    { keyId = null, session }: { keyId?: string | null; session?: ClientSession } = {},
  ): Promise<UserRecord | null> {
    const unchanged = { _id, passwordHash: known, sessionsEndedAt };
    const options = { returnDocument: 'after', ...within(session) } as const;
    const update = { $set: { passwordHash, passwordKeyId: keyId } };
    return this.collection.findOneAndUpdate(unchanged, update, options);
  }

  /** Removes the passwords that these keys led to; resolves to the ids of their users. */
  async removePasswordsOf(keyIds: readonly string[], session: ClientSession): Promise<number[]> {
    const theirs = { passwordKeyId: { $gt: '', $in: [...keyIds] } };
    const found = await this.collection.find(theirs, { session, projection: { _id: 1 } }).toArray();
    const ids = found.map(({ _id }) => _id);
    const removed = { $set: { passwordHash: null, passwordKeyId: null } };
    await this.collection.updateMany({ _id: { $in: ids } }, removed, { session });
    return ids;
  }

  async recordSignIn(id: number, now: Date, transaction?: ClientSession): Promise<void> {
    const update = [{ $set: { firstSignInAt: { $ifNull: ['$firstSignInAt', now] }, lastSignInAt: now } }];
    await this.collection.updateOne({ _id: id }, update, within(transaction));
  }

  async recordFirstInvitation(id: number, now: Date, transaction: ClientSession): Promise<void> {
    const update = { $set: { invitedAt: now } };
    await this.collection.updateOne({ _id: id, invitedAt: null }, update, within(transaction));
  }

  async changeNotices(
    id: number,
    { on = [], off = [] }: NoticeChanges,
    transaction?: ClientSession,
  ): Promise<boolean> {
    const kept = { $setDifference: [{ $ifNull: ['$noticesOff', []] }, on] };
    const update = [{ $set: { noticesOff: { $setUnion: [kept, off] } } }];
    const { matchedCount } = await this.collection.updateOne({ _id: id }, update, within(transaction));
    return matchedCount === 1;
  }

  async findIdsByEmail(start: string, limit: number): Promise<number[]> {
    const begins = { email: { $regex: `^${escapeRegExp(start.toLowerCase())}` } };
    const found = await this.collection.find(begins, { sort: { email: 1 }, limit }).toArray();
    return found.map(({ _id }) => _id);
  }

  /** Only `email` and `isActive` use an index. */
  listPage({ after: last, limit, ...wanted }: UserFilter): Promise<UserRecord[]> {
    const filter = { ...filterOf(wanted), ...matchAfter(byId, { _id: last }) };
    return this.collection.find(filter, { sort: byId, limit }).toArray();
  }

  count(wanted: Omit<UserFilter, 'after' | 'limit'>): Promise<number> {
    return this.collection.countDocuments(filterOf(wanted));
  }

  /** Null when the e-mail address is taken. @throws when the external id or panel user is taken; `findTakenField` names it */
  async add({ password, ...profile }: NewUser, now: Date): Promise<UserRecord | null> {
    if (await this.findByEmail(profile.email)) return null;
    const passwordHash = password === undefined ? null : await hashPassword(password);
    const _id = await this.#sequences.take('user');
    const made = { ...newUser, ...profile, _id, passwordHash, createdAt: now, updatedAt: now };
    const user = { ...made, folded: foldUser(made) };
    return (await nullOnDuplicateKey('email', this.collection.insertOne(user))) && user;
  }

  /** A new password ends all sessions. @throws when a field is taken, as `add` does */
  async change(
    email: string,
    changes: Omit<UserChanges, 'password'> & Implied,
    transaction?: ClientSession,
  ): Promise<UserRecord | null> {
    const isSet = changes.panelUserId === undefined ? {} : { panelUserFoundBy: null };
    const update = { $set: { ...changes, ...isSet } };
    const options = { returnDocument: 'after', ignoreUndefined: true, ...within(transaction) } as const;
    return this.collection.findOneAndUpdate({ email }, update, options);
  }

  /** Active users who have a panel user or may have one; `ids` null: all users. */
  async listForPanelLookup(ids: readonly number[] | null): Promise<PanelLookupUser[]> {
    const isKnown = { $or: [{ panelUserId: { $ne: null } }, { externalId: { $ne: null } }] };
    const filter = { isActive: true, ...isKnown, ...(ids && { _id: { $in: [...ids] } }) };
    const projection = { email: 1, panelUserId: 1, panelUserFoundBy: 1, externalId: 1 };
    return this.collection.find<PanelLookupUser>(filter, { projection }).toArray();
  }

  /**
   * Replaces the panel user by the one that a look-up found, or by null, unless another has been set meanwhile.
   * @returns the user's panel user afterwards; null when another user has the one that was found
   */
  async linkPanelUser({ _id, panelUserId, externalId, email }: PanelLookupUser, found: number | null) {
    const panelUserFoundBy = found === null || externalId === null ? null : { externalId, email };
    const update = this.collection.updateOne(
      { _id, panelUserId },
      { $set: { panelUserId: found, panelUserFoundBy } },
    );
    const linked = await nullOnDuplicateKey('panelUserId', update);
    if (linked?.matchedCount === 1) return found;
    const now = (await this.find(_id))?.panelUserId ?? null;
    return now === panelUserId ? null : now;
  }
}

type UserRole = keyof typeof roleFilters;

const roleFilters = {
  admin: { isAdmin: true },
  support: { isAdmin: false, isSupport: true },
  customer: { isAdmin: false, isSupport: false },
};

function filterOf(wanted: Omit<UserFilter, 'after' | 'limit'>) {
  const { email, emailPart, search, role, isActive } = wanted;
  return {
    ...(email !== undefined && { email }),
    ...(emailPart !== undefined && { email: { $regex: escapeRegExp(emailPart.toLowerCase()) } }),
    ...(search !== undefined && filterByWords(search)),
    ...(role && roleFilters[role]),
    ...(isActive !== undefined && { isActive }),
    ...(wanted.hasNeverSignedIn && { firstSignInAt: null }),
    ...(wanted.isUninvited && { invitedAt: null }),
    ...(wanted.hasPanelUser && { panelUserId: { $ne: null } }),
  };
}

const within = (session: ClientSession | undefined) => session && { session };
