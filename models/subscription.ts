/** Subscriptions of users. The public reference is random, so that it reveals nothing of the payment provider. */
import { randomBytes } from 'node:crypto';
import { type ClientSession, type Connection, Schema, type Types } from 'mongoose';
import { nullOnDuplicateKey, retryOnDuplicateKey } from './support/writes.ts';

export interface SubscriptionRecord {
  _id: Types.ObjectId;
  /** The only id the API shows. */
  reference: string;
  userId: number;
  status: string;
  /** The payment provider's id; only administrators may send it, and no response contains it. */
  providerId: string;
  createdAt: Date;
}

export type NewSubscription = Pick<SubscriptionRecord, 'userId' | 'providerId' | 'status'>;

const subscriptionSchema = new Schema<SubscriptionRecord>({
  reference: { type: String, required: true, unique: true },
  userId: { type: Number, required: true },
  status: { type: String, required: true },
  providerId: { type: String, required: true, unique: true },
  createdAt: { type: Date, required: true },
});
subscriptionSchema.index({ userId: 1, createdAt: -1, _id: -1 });

const newReference = () => `sub_${randomBytes(16).toString('hex')}`;

export class Subscriptions {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('Subscription', subscriptionSchema, 'subscriptions');
  }

  /** A user's subscriptions, newest first. */
  list(userId: number): Promise<SubscriptionRecord[]> {
    return this.#model.find({ userId }).sort({ createdAt: -1, _id: -1 }).lean().exec();
  }

  /** Adds a subscription; null when the provider's id exists already. */
  async add(subscription: NewSubscription, now: Date): Promise<SubscriptionRecord | null> {
    const insert = this.#model.create({ ...subscription, reference: newReference(), createdAt: now });
    const created = await nullOnDuplicateKey('providerId', insert);
    return created?.toObject() ?? null;
  }

  /** Those with these provider's ids. */
  findMany(providerIds: readonly string[], transaction: ClientSession): Promise<SubscriptionRecord[]> {
    return this.#model
      .find({ providerId: { $in: providerIds } })
      .session(transaction)
      .lean()
      .exec();
  }

  /** Creates the subscription with this provider's id, or changes its user and status. */
  async put(
    { providerId, userId, status }: NewSubscription,
    now: Date,
    transaction?: ClientSession,
  ): Promise<{ subscription: SubscriptionRecord; isCreated: boolean }> {
    const $setOnInsert = { reference: newReference(), createdAt: now };
    const update = { $set: { userId, status }, $setOnInsert };
    const options = { upsert: true, returnDocument: 'after', includeResultMetadata: true } as const;
    const session = transaction && { session: transaction };
    const upsert = () =>
      this.#model.collection.findOneAndUpdate({ providerId }, update, { ...options, ...session });
    // Of two concurrent inserts one fails; the next try finds the other's document.
    const result = await (transaction ? upsert() : retryOnDuplicateKey(upsert));
    if (!result.value) throw new Error('a subscription was neither found nor created');
    return {
      subscription: result.value as SubscriptionRecord,
      isCreated: !result.lastErrorObject?.updatedExisting,
    };
  }

  /** Puts many in one call, as part of a transaction; returns how many were created. */
  async putAll(subscriptions: NewSubscription[], now: Date, transaction: ClientSession): Promise<number> {
    if (subscriptions.length === 0) return 0;
    const updates = subscriptions.map(({ providerId, userId, status }) => ({
      updateOne: {
        filter: { providerId },
        update: { $set: { userId, status }, $setOnInsert: { reference: newReference(), createdAt: now } },
        upsert: true,
      },
    }));
    const { upsertedCount } = await this.#model.collection.bulkWrite(updates, { session: transaction });
    return upsertedCount;
  }

  /** Deletes the subscriptions of a user who is being deleted; resolves to them. */
  async deleteAll(userId: number, transaction: ClientSession): Promise<SubscriptionRecord[]> {
    const subscriptions = await this.#model.find({ userId }, null, { session: transaction }).lean();
    await this.#model.deleteMany({ userId }, { session: transaction });
    return subscriptions;
  }

  /** Returns the one with this provider's id, which is gone then; null when there is none. */
  delete(providerId: string, transaction?: ClientSession): Promise<SubscriptionRecord | null> {
    return this.#model
      .findOneAndDelete({ providerId })
      .session(transaction ?? null)
      .lean()
      .exec();
  }
}
