/** People who own servers, tickets and keys. An e-mail address belongs to one user, whatever its case. */
import { type Connection, Schema } from 'mongoose';
import { createFindBy } from './find-by.ts';
import { nullIfTaken } from './null-if-taken.ts';
import { decoyHash, hashPassword, verifyPassword } from './password.ts';
import type { Sequences } from './sequence.ts';

export interface UserRecord {
  _id: number;
  email: string;
  passwordHash: string;
  firstName: string | null;
  lastName: string | null;
  nickname: string | null;
  isAdmin: boolean;
  chatId: string | null;
  chatUsername: string | null;
  chatAvatarUrl: string | null;
  /** The owner's user id in the provisioning panel; null for someone without servers. */
  panelUserId: number | null;
  createdAt: Date;
}

export interface NewUser extends Partial<Omit<UserRecord, '_id' | 'email' | 'passwordHash' | 'createdAt'>> {
  email: string;
  password: string;
}

const optionalText = { type: String, default: null };

const userSchema = new Schema<UserRecord>({
  _id: { type: Number, required: true },
  email: { type: String, required: true, lowercase: true, trim: true, unique: true },
  passwordHash: { type: String, required: true },
  firstName: optionalText,
  lastName: optionalText,
  nickname: optionalText,
  isAdmin: { type: Boolean, default: false },
  chatId: optionalText,
  chatUsername: optionalText,
  chatAvatarUrl: optionalText,
  panelUserId: { type: Number, default: null },
  createdAt: { type: Date, required: true },
});

export class Users {
  readonly #model;
  readonly #sequences: Sequences;
  readonly find: (id: number) => Promise<UserRecord | null>;

  constructor(connection: Connection, sequences: Sequences) {
    this.#model = connection.model('User', userSchema, 'users');
    this.#sequences = sequences;
    this.find = createFindBy<UserRecord, number>({ connection, collection: 'users', field: '_id' });
  }

  findByEmail(email: string): Promise<UserRecord | null> {
    return this.#model.findOne({ email }).lean().exec();
  }

  /** The user with this e-mail address and password; an unknown address takes as long as a wrong password. */
  async findByPassword(email: string, password: string): Promise<UserRecord | null> {
    const user = await this.findByEmail(email);
    const isRight = await verifyPassword(user?.passwordHash ?? decoyHash, password);
    return isRight ? user : null;
  }

  /** Sets a new password; null when there is no such user. */
  async setPassword(id: number, password: string): Promise<UserRecord | null> {
    const passwordHash = await hashPassword(password);
    return this.#model
      .findByIdAndUpdate(id, { $set: { passwordHash } }, { returnDocument: 'after' })
      .lean()
      .exec();
  }

  /** All users, oldest first. */
  list(): Promise<UserRecord[]> {
    return this.#model.find().sort({ _id: 1 }).lean().exec();
  }

  /** Adds a user; null when the e-mail address is taken. */
  async add({ password, ...profile }: NewUser, now: Date): Promise<UserRecord | null> {
    if (await this.findByEmail(profile.email)) return null;
    const passwordHash = await hashPassword(password);
    const _id = await this.#sequences.take('user');
    const insert = this.#model.create({ ...profile, _id, passwordHash, createdAt: now });
    const user = await nullIfTaken('email', insert);
    return user?.toObject() ?? null;
  }

  /** Changes what an operator may change; null when nobody has the e-mail address. */
  change(
    email: string,
    changes: Partial<Pick<UserRecord, 'isAdmin' | 'panelUserId'>>,
  ): Promise<UserRecord | null> {
    return this.#model
      .findOneAndUpdate({ email }, { $set: changes }, { returnDocument: 'after' })
      .lean()
      .exec();
  }
}
