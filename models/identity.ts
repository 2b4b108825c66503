/** Accounts at an OpenID Connect provider, each linked to one user; a user has at most one at each provider. */
import type { ClientSession, Connection, mongo } from 'mongoose';
import type { ApiKeys } from './api-key/store.ts';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';
import { runTransaction } from './support/transaction.ts';
import { nullOnDuplicateKey } from './support/writes.ts';
import type { Users } from './user.ts';

const identitySchema = defineSchema({
  issuer: { type: String, required: true },
  /** The provider's permanent id of the account. The account's e-mail address may change or pass to someone else. */
  subject: { type: String, required: true },
  userId: { type: Number, required: true },
  createdAt: { type: Date, required: true },
})
  .index({ issuer: 1, subject: 1 }, { unique: true })
  .index({ userId: 1, issuer: 1 }, { unique: true });

type IdentityRecord = RecordOf<typeof identitySchema>;

export class Identities {
  readonly #connection: Connection;
  readonly #collection: mongo.Collection<IdentityRecord>;
  readonly #users: Users;
  readonly #apiKeys: ApiKeys;

  constructor(connection: Connection, users: Users, apiKeys: ApiKeys) {
    this.#connection = connection;
    this.#users = users;
    this.#apiKeys = apiKeys;
    this.#collection = defineCollection(connection, 'identities', identitySchema);
  }

  async findUserId(issuer: string, subject: string): Promise<number | null> {
    const identity = await this.#collection.findOne({ issuer, subject });
    return identity?.userId ?? null;
  }

  async deleteAll(userId: number, transaction: ClientSession): Promise<number> {
    const { deletedCount } = await this.#collection.deleteMany({ userId }, { session: transaction });
    return deletedCount;
  }

  /** Resolves to false when the account or the user is already linked, or the user is deleted. */
  async link(identity: Omit<IdentityRecord, 'createdAt'>, now: Date): Promise<boolean> {
    const { userId } = identity;
    const linking = runTransaction(this.#connection, async (session) => {
      await this.#apiKeys.lock([userId], session); // a deletion takes the same lock, so the two conflict
      const isThere = (await this.#users.findInTransaction(userId, session)) !== null;
      if (isThere) await this.#collection.insertOne({ ...identity, createdAt: now }, { session });
      return isThere;
    });
    return (await nullOnDuplicateKey('issuer', linking)) ?? false;
  }
}
