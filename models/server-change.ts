/** Servers that recently got a signal, a command or a restore. Other processes would otherwise know only the earlier state. */
import { randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';

export interface ServerChange {
  identifier: string;
  /** The server's panel user, if that user's list of servers shows the change; null: it does not. */
  ownerId: number | null;
  isAccepted: boolean;
}

const keptSeconds = 120;

const changeSchema = defineSchema({
  _id: { type: String, required: true },
  ownerId: { type: Number, default: null },
  isAccepted: { type: Boolean, required: true },
  at: { type: Date, required: true },
  /** The process that recorded it. */
  by: { type: String, required: true },
}).index({ at: 1 }, { expireAfterSeconds: keptSeconds });

type ServerChangeRecord = RecordOf<typeof changeSchema>;

/** A change may become visible after another change to which MongoDB gave a later time. */
const overlapMs = 1_000;

export class ServerChanges {
  readonly #collection: mongo.Collection<ServerChangeRecord>;
  readonly #by = randomUUID();
  #until = Date.now() - keptSeconds * 1_000;
  #seen = new Map<string, number>();

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'server_changes', changeSchema);
  }

  /** Best effort: if it fails, other processes notice the change later. */
  record({ identifier: _id, ...change }: ServerChange): void {
    const update = { $set: { ...change, by: this.#by }, $currentDate: { at: true as const } };
    this.#collection.updateOne({ _id }, update, { upsert: true }).catch(() => {});
  }

  /** Changes that other processes recorded since the previous call, or in the last two minutes for the first call. */
  async listNew(): Promise<ServerChange[]> {
    const found = await this.#collection
      .find({ at: { $gt: new Date(this.#until - overlapMs) }, by: { $ne: this.#by } })
      .sort({ at: -1 })
      .limit(1000)
      .toArray();
    const fresh = found.filter(({ _id, at }) => this.#seen.get(_id) !== at.getTime());
    this.#seen = new Map(found.map(({ _id, at }) => [_id, at.getTime()]));
    this.#until = Math.max(this.#until, ...this.#seen.values());
    return fresh.map(({ _id, ownerId, isAccepted }) => ({ identifier: _id, ownerId, isAccepted }));
  }
}
