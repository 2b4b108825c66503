/**
 * Sessions of the account page: a random token in a cookie, kept as a hash. A session ends after two hours unused, after
 * a day, at sign-out, and with the password it was opened with.
 */
import { hash, randomBytes } from 'node:crypto';
import { type Connection, Schema } from 'mongoose';
import type { UserRecord, Users } from './user.ts';

interface SessionRecord {
  /** The hash of the token. */
  _id: string;
  userId: number;
  /** Tells whether the password is still the one the session was opened with. */
  passwordStamp: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

const idleMs = 2 * 60 * 60 * 1000;
const lifetimeMs = 24 * 60 * 60 * 1000;
/** How old `lastSeenAt` may be, so that a busy page costs one write a minute. */
const lastSeenStaleMs = 60_000;

const sessionSchema = new Schema<SessionRecord>({
  _id: { type: String, required: true },
  userId: { type: Number, required: true },
  passwordStamp: { type: String, required: true },
  createdAt: { type: Date, required: true },
  lastSeenAt: { type: Date, required: true },
  expiresAt: { type: Date, required: true, expires: 0 },
});

const sha256 = (text: string) => hash('sha256', text, 'hex');

const stampOf = ({ passwordHash }: UserRecord) => sha256(passwordHash);

export class Sessions {
  readonly #model;
  readonly #users: Users;

  constructor(connection: Connection, users: Users) {
    this.#model = connection.model('Session', sessionSchema, 'sessions');
    this.#users = users;
  }

  /** Opens a session. The token is in the answer and nowhere else, ever again. */
  async open(user: UserRecord, now: Date): Promise<{ token: string; expiresAt: Date }> {
    const token = randomBytes(32).toString('base64url');
    const expiresAt = new Date(now.getTime() + lifetimeMs);
    await this.#model.create({
      _id: sha256(token),
      userId: user._id,
      passwordStamp: stampOf(user),
      createdAt: now,
      lastSeenAt: now,
      expiresAt,
    });
    return { token, expiresAt };
  }

  /** The session of a token, with its user; null when there is none or it has ended. */
  async verify(token: string, now: Date): Promise<{ id: string; user: UserRecord } | null> {
    const session = await this.#model.findById(sha256(token)).lean();
    if (!session || session.expiresAt <= now) return null;
    const unusedMs = now.getTime() - session.lastSeenAt.getTime();
    if (unusedMs >= idleMs) return null;
    const user = await this.#users.find(session.userId);
    if (!user || stampOf(user) !== session.passwordStamp) return null;
    if (unusedMs >= lastSeenStaleMs)
      await this.#model.updateOne({ _id: session._id }, { $set: { lastSeenAt: now } });
    return { id: session._id, user };
  }

  async end(id: string): Promise<void> {
    await this.#model.deleteOne({ _id: id });
  }
}
