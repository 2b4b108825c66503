/** Subscriptions of users. The public reference is random, so that it reveals nothing about the payment provider. */
import { randomBytes } from 'node:crypto';
import { type ClientSession, type Connection, type mongo, Schema, Types } from 'mongoose';
import type { ApiKeys } from './api-key/store.ts';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';
import { nullOnDuplicateKey } from './support/writes.ts';

const subscriptionSchema = defineSchema({
  _id: { type: Schema.Types.ObjectId, required: true },
  /** The only id that the API shows. */
  reference: { type: String, required: true },
  userId: { type: Number, required: true },
  status: { type: String, required: true },
  /** The payment provider's id; only administrators may send it, and no response contains it. */
  providerId: { type: String, required: true },
  createdAt: { type: Date, required: true },
  /** Texts for people, as the host gives them. */
  name: { type: String },
  price: { type: String },
  renewsAt: { type: Date },
})
  .index({ reference: 1 }, { unique: true })
  .index({ providerId: 1 }, { unique: true })
  .index({ userId: 1, createdAt: -1, _id: -1 });

export type SubscriptionRecord = RecordOf<typeof subscriptionSchema>;

type AddedSubscription = Omit<SubscriptionRecord, '_id' | 'reference' | 'createdAt'>;

type Details = Pick<AddedSubscription, 'name' | 'price' | 'renewsAt'>;

/** Null means none. A change keeps the details that are absent. */
export type NewSubscription = Omit<AddedSubscription, keyof Details> & {
  [Name in keyof Details]: Details[Name] | undefined;
};

export interface PutSubscriptions {
  before: SubscriptionRecord[];
  after: SubscriptionRecord[];
}

const newReference = () => `sub_${randomBytes(16).toString('hex')}`;

export class Subscriptions {
  readonly #collection: mongo.Collection<SubscriptionRecord>;
  readonly #apiKeys: ApiKeys;

  constructor(connection: Connection, apiKeys: ApiKeys) {
    this.#collection = defineCollection(connection, 'subscriptions', subscriptionSchema);
    this.#apiKeys = apiKeys;
  }

  list(userId: number): Promise<SubscriptionRecord[]> {
    return this.#collection.find({ userId }).sort({ createdAt: -1, _id: -1 }).toArray();
  }

  async add(subscription: AddedSubscription, now: Date): Promise<SubscriptionRecord | null> {
    const added = {
      _id: new Types.ObjectId(),
      reference: newReference(),
      ...subscription,
      createdAt: now,
    };
    return (await nullOnDuplicateKey('providerId', this.#collection.insertOne(added))) && added;
  }

  findMany(providerIds: readonly string[], session: ClientSession): Promise<SubscriptionRecord[]> {
    return this.#collection.find({ providerId: { $in: [...providerIds] } }, { session }).toArray();
  }

  /** Finds subscriptions by the provider's ids. The lock makes the transaction conflict with a deletion of these users. */
  async put(
    wanted: readonly NewSubscription[],
    now: Date,
    session: ClientSession,
  ): Promise<PutSubscriptions> {
    const ids = wanted.map(({ providerId }) => providerId);
    if (wanted.length > 0)
      await this.#apiKeys.lock([...new Set(wanted.map(({ userId }) => userId))], session);
    const before = await this.findMany(ids, session);
    const updates = wanted.map(({ providerId, ...fields }) => ({
      updateOne: {
        filter: { providerId },
        // `ignoreUndefined` drops the undefined fields that the type does not allow.
        update: {
          $set: fields as AddedSubscription,
          $setOnInsert: { reference: newReference(), createdAt: now },
        },
        upsert: true,
      },
    }));
    if (updates.length > 0) await this.#collection.bulkWrite(updates, { session, ignoreUndefined: true });
    return { before, after: await this.findMany(ids, session) };
  }

  async deleteAll(userId: number, transaction: ClientSession): Promise<SubscriptionRecord[]> {
    const subscriptions = await this.#collection.find({ userId }, { session: transaction }).toArray();
    await this.#collection.deleteMany({ userId }, { session: transaction });
    return subscriptions;
  }

  delete(providerId: string, session: ClientSession): Promise<SubscriptionRecord | null> {
    return this.#collection.findOneAndDelete({ providerId }, { session });
  }
}
