/** What a user pays for. The public reference is random, so that nothing of the provider can be read from it. */
import { randomBytes } from 'node:crypto';
import { type Connection, Schema, type Types } from 'mongoose';
import { nullIfTaken } from './null-if-taken.ts';

export interface SubscriptionRecord {
  _id: Types.ObjectId;
  /** The only name the public sees. */
  reference: string;
  userId: number;
  status: string;
  /** The payment provider's id; never leaves this room. */
  providerId: string;
  createdAt: Date;
}

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

  /** Records a subscription; null when the provider's id is known already. */
  async add(
    subscription: Pick<SubscriptionRecord, 'userId' | 'providerId' | 'status'>,
    now: Date,
  ): Promise<SubscriptionRecord | null> {
    const insert = this.#model.create({ ...subscription, reference: newReference(), createdAt: now });
    const created = await nullIfTaken('providerId', insert);
    return created?.toObject() ?? null;
  }
}
