/** Accounts at an OpenID Connect provider, each linked to one user; a user has at most one at each provider. */
import type { ClientSession, Connection, mongo } from 'mongoose';
import { defineCollection } from './support/collection.ts';
import { nullOnDuplicateKey } from './support/writes.ts';

interface IdentityRecord {
  issuer: string;
  /** The provider's permanent id of the account; its e-mail address may change or pass to someone else. */
  subject: string;
  userId: number;
  createdAt: Date;
}

export class Identities {
  readonly #collection: mongo.Collection<IdentityRecord>;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'identities', [
      [{ issuer: 1, subject: 1 }, { unique: true }],
      [{ userId: 1, issuer: 1 }, { unique: true }],
    ]);
  }

  /** The user an account at a provider is linked to; null when it is linked to none. */
  async findUserId(issuer: string, subject: string): Promise<number | null> {
    const identity = await this.#collection.findOne({ issuer, subject });
    return identity?.userId ?? null;
  }

  /** Deletes the links of a user; resolves to how many there were. */
  async deleteAll(userId: number, transaction: ClientSession): Promise<number> {
    const { deletedCount } = await this.#collection.deleteMany({ userId }, { session: transaction });
    return deletedCount;
  }

  /** Links an account to a user; false when either is linked already. */
  async link(identity: Omit<IdentityRecord, 'createdAt'>, now: Date): Promise<boolean> {
    const insert = this.#collection.insertOne({ ...identity, createdAt: now });
    return (await nullOnDuplicateKey('issuer', insert)) !== null;
  }
}
