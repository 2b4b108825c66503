/** Destinations as the sender sees them: which of them get an event, how attempts went, and until when each is paused. */
import type { Connection, mongo } from 'mongoose';
import type { EventSelector } from './event-types.ts';
import {
  type Audience,
  type DestinationRecord,
  defineDestinations,
  everyCustomer,
  neverFailed,
  newDestinationState,
} from './schema.ts';

/** Successes within this time after a recorded one are not recorded. */
const successStaleMs = 1000;
/** How much the clocks of the processes that share a database may differ. */
const clockToleranceMs = 30_000;

type MailDestination = Pick<DestinationRecord, '_id' | 'audience' | 'events'>;

export class Destinations {
  readonly collection: mongo.Collection<DestinationRecord>;
  /** How much later than an event its destination may seem to have been turned on, because clocks differ. */
  readonly clockToleranceMs: number;

  constructor(connection: Connection, isShared = false) {
    this.collection = defineDestinations(connection);
    this.clockToleranceMs = isShared ? clockToleranceMs : 0;
  }

  /** Yields pages of active destinations: those of the given customers (null: of all), and always the host's. */
  async *listActive(
    userIds: readonly number[] | null,
    pageSize: number,
  ): AsyncGenerator<DestinationRecord[]> {
    const owners = userIds && [...userIds, everyCustomer];
    const ofThese = owners && { $or: [{ userId: { $in: owners } }, { audience: 'host' as const }] };
    let page: DestinationRecord[] = [];
    do {
      const active = { isActive: true, ...ofThese, _id: { $gt: page.at(-1)?._id ?? '' } };
      page = await this.collection.find(active, { sort: { _id: 1 }, limit: pageSize }).toArray();
      yield page;
    } while (page.length === pageSize);
  }

  /** Resolves to the customers with a webhook for this type of event; null: all customers. */
  async listSubscribedCustomers(type: EventSelector): Promise<number[] | null> {
    const subscribing = { isActive: true, events: { $in: [type, '*' as const] } };
    const projection = { userId: 1, audience: 1 };
    const found = await this.collection.find(subscribing, { projection }).toArray();
    return found.some(({ audience }) => audience === 'host') ? null : found.map(({ userId }) => userId);
  }

  /** The addresses in the result are encrypted. */
  findMany(ids: readonly string[]): Promise<DestinationRecord[]> {
    return this.collection.find({ _id: { $in: [...ids] } }).toArray();
  }

  async pause(snapshot: DestinationRecord, until: Date): Promise<void> {
    await this.collection.updateOne(ifUnchanged(snapshot), { $max: { pausedUntil: until } });
  }

  async recordSuccess(snapshot: DestinationRecord, at: Date): Promise<void> {
    const { failingSince, lastSuccessAt } = snapshot;
    const isRecent = lastSuccessAt && at.getTime() - lastSuccessAt.getTime() < successStaleMs;
    if (isRecent && !failingSince) return;
    const update = { $max: { lastSuccessAt: at }, $set: neverFailed };
    await this.collection.updateOne(ifUnchanged(snapshot), update);
  }

  /** Resolves to the failures since the last success; to null when the destination has changed since the attempt. */
  async recordFailure(snapshot: DestinationRecord, at: Date): Promise<{ since: Date; count: number } | null> {
    const since = { $ifNull: ['$failingSince', at] };
    const counted = [{ $set: { failingSince: since, failureCount: { $add: ['$failureCount', 1] } } }];
    const updated = await this.collection.findOneAndUpdate(ifUnchanged(snapshot), counted, {
      returnDocument: 'after',
    });
    return updated && { since: updated.failingSince ?? at, count: updated.failureCount };
  }

  async turnMailOn({ _id, audience, events }: MailDestination, now: Date): Promise<boolean> {
    const { isActive, ...created } = newMail(audience, now);
    const update = { $set: { events, isActive }, $setOnInsert: created };
    const { upsertedCount } = await this.collection.updateOne({ _id }, update, { upsert: true });
    return upsertedCount === 1;
  }

  async turnMailOff(id: string): Promise<void> {
    await this.collection.updateOne({ _id: id }, { $set: { isActive: false } });
  }

  async remove(id: string): Promise<void> {
    await this.collection.deleteOne({ _id: id });
  }
}

/** An attempt's outcome does not count if the address has since changed, or the destination was turned on again. */
export const ifUnchanged = ({ _id, url, activeSince }: DestinationRecord) => ({ _id, url, activeSince });

const newMail = (audience: Audience, now: Date): Omit<DestinationRecord, '_id' | 'events'> => ({
  ...{ userId: everyCustomer, audience, url: '', format: 'mail', description: null },
  ...{ madeBy: null, keyId: '', setByKeyId: '', ...newDestinationState(now) },
});
