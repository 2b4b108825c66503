/** Accounts at an OpenID Connect provider, each linked to one user; a user has at most one at each provider. */
import { type ClientSession, type Connection, Schema } from 'mongoose';
import { nullOnDuplicateKey } from './support/writes.ts';

interface IdentityRecord {
  issuer: string;
  /** The provider's permanent id of the account; its e-mail address may change or pass to someone else. */
  subject: string;
  userId: number;
  createdAt: Date;
}

const identitySchema = new Schema<IdentityRecord>({
  issuer: { type: String, required: true },
  subject: { type: String, required: true },
  userId: { type: Number, required: true },
  createdAt: { type: Date, required: true },
});
identitySchema.index({ issuer: 1, subject: 1 }, { unique: true });
identitySchema.index({ userId: 1, issuer: 1 }, { unique: true });

export class Identities {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('Identity', identitySchema, 'identities');
  }

  /** The user an account at a provider is linked to; null when it is linked to none. */
  async findUserId(issuer: string, subject: string): Promise<number | null> {
    const identity = await this.#model.findOne({ issuer, subject }).lean();
    return identity?.userId ?? null;
  }

  /** Deletes the links of a user; resolves to how many there were. */
  async deleteAll(userId: number, transaction: ClientSession): Promise<number> {
    const { deletedCount } = await this.#model.deleteMany({ userId }, { session: transaction });
    return deletedCount;
  }

  /** Links an account to a user; false when either is linked already. */
  async link(identity: Omit<IdentityRecord, 'createdAt'>, now: Date): Promise<boolean> {
    const insert = this.#model.create({ ...identity, createdAt: now });
    return (await nullOnDuplicateKey('issuer', insert)) !== null;
  }
}
