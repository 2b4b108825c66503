/** Second factors of users: authenticator apps and passkeys, with recovery codes. A user with any of them has one document. */
import { randomBytes } from 'node:crypto';
import { type ClientSession, type Connection, type mongo, Schema } from 'mongoose';
import { factorsMax, recoveryCodesCount } from './bounds.ts';
import type { Events } from './outbox/events.ts';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';
import { hashToken } from './support/secrets.ts';
import type { Users } from './user.ts';

const { Union } = Schema.Types;

const factorFields = {
  /** For a passkey, its credential id. */
  id: { type: String, required: true },
  name: { type: String, required: true },
  createdAt: { type: Date, required: true },
  /** A union, because Mongoose leaves null out of the validator for a plain field of a schema within a union. */
  lastUsedAt: { type: Union, of: [Date], default: null },
  /** The latest accepted values, none of which is accepted again: time steps of an app, challenges of a passkey. */
  spent: { type: [{ type: Union, of: [Number, String] }], required: true },
  /** The key whose sign-in link led to the session that added the factor; absent if none did. */
  linkKeyId: { type: String, allowNull: false },
} as const;

const appSchema = defineSchema({
  ...factorFields,
  kind: { type: String, enum: ['app'], required: true },
  /** In base32, encrypted. */
  secret: { type: String, required: true },
});

export type AppFactor = RecordOf<typeof appSchema>;

const passkeySchema = defineSchema({
  ...factorFields,
  kind: { type: String, enum: ['passkey'], required: true },
  /** In COSE, as base64url. */
  publicKey: { type: String, required: true },
  /** The authenticator's count of signatures; 0 for an authenticator that does not count. */
  counter: { type: Number, required: true },
  transports: { type: [String], required: true },
  /** True if its user became staff later. Such a passkey cannot sign in alone until it has been used after the password. */
  needsPassword: { type: Boolean, allowNull: false },
});

export type PasskeyFactor = RecordOf<typeof passkeySchema>;
export type Factor = AppFactor | PasskeyFactor;

const secondFactorSchema = defineSchema({
  _id: { type: Number, required: true },
  factors: { type: [{ type: Union, of: [appSchema, passkeySchema] }], required: true },
  /** Hashes of the unused codes. */
  recoveryCodes: { type: [String], required: true },
})
  .index({ 'factors.id': 1 }, { unique: true })
  .index({ 'factors.linkKeyId': 1 }, { sparse: true });

export type SecondFactorRecord = RecordOf<typeof secondFactorSchema>;

/** A proof counts once: `oneTimeValue` is a time step or a challenge. */
interface FactorProof {
  id: string;
  oneTimeValue: number | string;
  counter?: number;
  /** The user gave the password first, and no key's link led to that password, so the factor is the user's own. */
  isAfterPassword?: boolean;
  at: Date;
}

/** More than the number of values that can be accepted while any one of them is still valid. */
const spentMax = 50;

export class SecondFactors {
  readonly #collection: mongo.Collection<SecondFactorRecord>;
  readonly #users: Users;
  readonly #events: Events;

  constructor(connection: Connection, { users, events }: { users: Users; events: Events }) {
    this.#collection = defineCollection(connection, 'second_factors', secondFactorSchema);
    this.#users = users;
    this.#events = events;
  }

  find(userId: number): Promise<SecondFactorRecord | null> {
    return this.#collection.findOne({ _id: userId });
  }

  findByFactor(id: string, transaction?: ClientSession): Promise<SecondFactorRecord | null> {
    return this.#collection.findOne({ 'factors.id': id }, transaction && { session: transaction });
  }

  async has(): Promise<boolean> {
    return (await this.#collection.findOne({ _id: { $gt: 0 } }, { projection: { _id: 1 } })) !== null;
  }

  /** Replaces a factor with the same id. The first comes with recovery codes. Null if the user has `factorsMax` of its kind. */
  async add(userId: number, factor: Factor, transaction: ClientSession): Promise<string[] | null> {
    const known = await this.#collection.findOne({ _id: userId }, { session: transaction });
    const others = (known?.factors ?? []).filter(({ id }) => id !== factor.id);
    const before = known?.factors.find(({ id }) => id === factor.id);
    const added = { ...factor, spent: [...(before?.spent ?? []), ...factor.spent].slice(-spentMax) };
    if (others.filter(({ kind }) => kind === factor.kind).length >= factorsMax) return null;
    const isFirst = others.length === 0;
    const codes = isFirst ? newRecoveryCodes() : [];
    const made = isFirst && { recoveryCodes: codes.map(hashCode) };
    const update = { $set: { factors: [...others, added], ...made } };
    await this.#collection.updateOne({ _id: userId }, update, { session: transaction, upsert: true });
    await this.#setHolder(userId, true, transaction);
    const event = eventOf('factor.added', { userId, at: factor.createdAt, data: factor });
    await this.#events.record([event], transaction);
    return codes;
  }

  /** Resolves to whether the proof is accepted. Across all processes, a proof is accepted once. */
  async useProof(
    userId: number,
    { id, oneTimeValue, counter, isAfterPassword = false, at }: FactorProof,
    transaction?: ClientSession,
  ): Promise<boolean> {
    const unspent = { _id: userId, factors: { $elemMatch: { id, spent: { $ne: oneTimeValue } } } };
    const update = {
      $set: { 'factors.$.lastUsedAt': at, ...(counter !== undefined && { 'factors.$.counter': counter }) },
      $push: { 'factors.$.spent': { $each: [oneTimeValue], $slice: -spentMax } },
      ...(isAfterPassword && { $unset: { 'factors.$.needsPassword': 1, 'factors.$.linkKeyId': 1 } as const }),
    };
    const options = transaction && { session: transaction };
    return (await this.#collection.updateOne(unspent, update, options)).modifiedCount === 1;
  }

  /** Passkeys of a user who becomes staff sign in only after the password: someone else may have added them. */
  async requirePassword(userId: number, session: ClientSession): Promise<void> {
    const update = { $set: { 'factors.$[passkey].needsPassword': true } } as const;
    const arrayFilters = [{ 'passkey.kind': 'passkey' }];
    await this.#collection.updateOne({ _id: userId }, update, { session, arrayFilters });
  }

  async useRecoveryCode(
    userId: number,
    { code, at }: { code: string; at: Date },
    transaction: ClientSession,
  ): Promise<number | null> {
    const held = { recoveryCodes: hashCode(code) };
    const options = { returnDocument: 'after', session: transaction } as const;
    const used = await this.#collection.findOneAndUpdate({ _id: userId, ...held }, { $pull: held }, options);
    if (!used) return null;
    const left = used.recoveryCodes.length;
    await this.#events.record([{ type: 'recovery_code.used', userId, at, data: { left } }], transaction);
    return left;
  }

  async replaceRecoveryCodes(userId: number): Promise<string[] | null> {
    const codes = newRecoveryCodes();
    const update = { $set: { recoveryCodes: codes.map(hashCode) } };
    const { matchedCount } = await this.#collection.updateOne({ _id: userId }, update);
    return matchedCount === 1 ? codes : null;
  }

  async rename(
    userId: number,
    { id, name }: Pick<Factor, 'id' | 'name'>,
    session: ClientSession,
  ): Promise<boolean> {
    const update = { $set: { 'factors.$.name': name } };
    const own = { _id: userId, 'factors.id': id };
    const { matchedCount } = await this.#collection.updateOne(own, update, { session });
    return matchedCount === 1;
  }

  /** Removing the last factor also removes the recovery codes. */
  async remove(
    userId: number,
    { id, at }: { id: string; at: Date },
    transaction: ClientSession,
  ): Promise<Factor | null> {
    const holder = { _id: userId, 'factors.id': id };
    const update = { $pull: { factors: { id } } };
    const before = await this.#collection.findOneAndUpdate(holder, update, { session: transaction });
    const removed = before?.factors.find((factor) => factor.id === id);
    if (!removed) return null;
    if (before?.factors.length === 1) await this.removeAll(userId, transaction);
    await this.#events.record([eventOf('factor.removed', { userId, at, data: removed })], transaction);
    return removed;
  }

  /** Removes the factors that these keys led to, and their users' recovery codes, which may have come with them. */
  async removeMadeBy(keyIds: readonly string[], at: Date, transaction: ClientSession): Promise<void> {
    const session = transaction;
    const theirs = { linkKeyId: { $in: [...keyIds] } };
    const isTheirs = ({ linkKeyId }: Factor) => linkKeyId !== undefined && keyIds.includes(linkKeyId);
    const holders = await this.#collection.find({ factors: { $elemMatch: theirs } }, { session }).toArray();
    const anyOf = (records: readonly SecondFactorRecord[]) => ({
      _id: { $in: records.map(({ _id }) => _id) },
    });
    const bare = anyOf(holders.filter(({ factors }) => factors.every(isTheirs)));
    const update = { $pull: { factors: theirs }, $set: { recoveryCodes: [] } };
    // One write for all users, because there may be thousands and a transaction lasts a minute at most.
    await this.#collection.deleteMany(bare, { session });
    await this.#collection.updateMany(anyOf(holders), update, { session });
    await this.#users.collection.updateMany(bare, { $set: { hasSecondFactor: false } }, { session });
    const removed = holders.flatMap(({ _id: userId, factors }) =>
      factors.filter(isTheirs).map((data) => eventOf('factor.removed', { userId, at, data })),
    );
    await this.#events.record(removed, transaction);
  }

  async removeAll(userId: number, transaction: ClientSession): Promise<number> {
    const removed = await this.#collection.findOneAndDelete({ _id: userId }, { session: transaction });
    await this.#setHolder(userId, false, transaction);
    return removed?.factors.length ?? 0;
  }

  async #setHolder(userId: number, hasSecondFactor: boolean, session: ClientSession): Promise<void> {
    await this.#users.collection.updateOne({ _id: userId }, { $set: { hasSecondFactor } }, { session });
  }
}

const eventOf = (
  type: 'factor.added' | 'factor.removed',
  { data: { kind, name }, ...about }: { userId: number; at: Date; data: Factor },
) => ({ type, ...about, data: { factor: { kind, name } } });

/** Letters and digits that are easily confused are left out. Each character stands for 5 bits. */
const codeLetters = 'abcdefghijkmnpqrstuvwxyz23456789';
const codeBytes = 16;

/** A code has 80 bits, so one round of SHA-256 suffices. The groups make a code easier to read. */
const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodesCount }, () =>
    [...randomBytes(codeBytes)]
      .map((byte) => codeLetters[byte % codeLetters.length])
      .join('')
      .replace(/(.{4})(?!$)/g, '$1-'),
  );

const hashCode = (code: string): string => hashToken(code.toLowerCase().replace(/[^a-z0-9]/g, ''));
