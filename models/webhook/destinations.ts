/** Destinations: where events are sent, how it went there, and until when each rests. Their number is bounded. */
import { randomBytes } from 'node:crypto';
import type { ClientSession, Connection, mongo } from 'mongoose';
import type { ApiKeyQuota } from '../api-key/quota.ts';
import { destinationsMax } from '../bounds.ts';
import { createBatcher } from '../support/batcher.ts';
import { updateAll } from '../support/writes.ts';
import type { UserRecord } from '../user.ts';
import { asTried, createDisable, type Disable, type DisableDeps, off } from './disable.ts';
import type { SubscribedType } from './event-types.ts';
import { type Audience, type DestinationRecord, destinationSchema, everyCustomer } from './schema.ts';
import type { Subscribers } from './subscribers.ts';

/** For how long the secret before a rotation signs too. */
const overlapMs = 24 * 60 * 60 * 1000;
/** A success is recorded at most once in this time. */
const successStaleMs = 1000;
/** By how much the clocks of processes on one database may differ. */
const clockToleranceMs = 30_000;

export interface Owner {
  userId: number;
  audience: Audience;
}

type NewDestination = Owner &
  Pick<DestinationRecord, 'url' | 'format' | 'events' | 'description' | 'keyId' | 'appName'>;

/** Undefined fields keep their value. */
interface DestinationChanges extends Partial<Pick<DestinationRecord, 'heldBy' | 'handedBy'>> {
  url?: string | undefined;
  /** Of who changes the address. */
  urlKeyId?: string | undefined;
  events?: SubscribedType[] | undefined;
  description?: string | null | undefined;
  isActive?: boolean | undefined;
}

interface ChangeRules {
  now: Date;
  /** Throws where it is not one to be changed. */
  check?: ((current: Destination) => void) | undefined;
}

/** With its address. */
export type Destination = DestinationRecord;

interface DestinationsDeps extends DisableDeps {
  quota: ApiKeyQuota;
  subscribers: Subscribers;
  /** Whether other processes may serve on this database. */
  isShared?: boolean | undefined;
}

type Update = mongo.UpdateFilter<DestinationRecord>;
type Updates = Parameters<typeof updateAll<DestinationRecord>>[1];

export class Webhooks {
  readonly #model;
  readonly #collection: mongo.Collection<DestinationRecord>;
  readonly #users;
  readonly #deps: DestinationsDeps;
  /** By so much a destination may seem to be turned on after what is for it. */
  readonly clockToleranceMs: number;
  /** Turns one off, and says why; false when it was off, or is not as it was tried. What waits for it is dropped. */
  readonly disable: Disable;
  readonly #update = createBatcher(async (updates: Updates) => {
    await updateAll(this.#collection, updates);
    return updates.map(() => null);
  });

  constructor(connection: Connection, deps: DestinationsDeps) {
    this.#model = connection.model('Webhook', destinationSchema, 'webhooks');
    this.#collection = connection.collection<DestinationRecord>('webhooks');
    this.#users = connection.collection<Pick<UserRecord, '_id'>>('users');
    this.#deps = deps;
    this.clockToleranceMs = deps.isShared ? clockToleranceMs : 0;
    this.disable = createDisable(connection, deps);
  }

  /** Turns off those of an owner's that are meant; those that are off get the reason, too. */
  async turnOff(owner: Owner, isMeant: (one: DestinationRecord) => boolean, disabledReason: string) {
    const found = (await this.#model.find(ownedBy(owner)).lean()).filter(isMeant);
    for (const { _id, isActive } of found) if (isActive) await this.disable(_id, disabledReason);
    const off = { _id: { $in: found.map(({ _id }) => _id) }, isActive: false, disabledReason: null };
    if (found.length > 0) await this.#collection.updateMany(off, { $set: { disabledReason } });
  }

  /** Whether this one is stored; without an id, whether any is. */
  async has(id?: string): Promise<boolean> {
    return (await this.#model.exists({ _id: id ?? { $gt: '' }, ...webhooksOnly })) !== null;
  }

  /** An owner's, newest first. */
  async list({ userId, audience }: Owner): Promise<Destination[]> {
    const found = await this.#model.find({ userId, audience }).sort({ createdAt: -1, _id: -1 }).lean();
    return found.map((one) => this.#show(one));
  }

  /** Of one user, or of all. */
  async listAll(userId?: number): Promise<Destination[]> {
    const filter = { ...(userId === undefined ? { _id: { $gt: '' } } : { userId }), ...webhooksOnly };
    const found = await this.#model.find(filter).sort({ _id: 1 }).lean();
    return found.map((one) => this.#show(one));
  }

  async findOwned({ userId, audience }: Owner, id: string): Promise<Destination | null> {
    const found = await this.#model.findOne({ _id: id, userId, audience }).lean();
    return found && this.#show(found);
  }

  /** Adds one, which gets events from now on; null when the owner has as many as there may be, or is deleted. */
  async add({ url, ...destination }: NewDestination, now: Date): Promise<Destination | null> {
    const added = await this.#model.db.transaction(async (session) => {
      await this.#deps.quota.lock([destination.userId], session); // as a deletion does
      const owner = await this.#users.findOne({ _id: destination.userId }, { session });
      const count = await this.#model.countDocuments(ownedBy(destination)).session(session);
      if (!owner || count >= destinationsMax[destination.audience]) return null;
      const _id = `whk_${randomBytes(16).toString('hex')}`;
      const record: DestinationRecord = {
        ...destination,
        _id,
        url: this.#deps.secrets.opened.encryptUrl(_id, url),
        ...untried,
        secretVersion: 1,
        previousSecretUntil: null,
        activeSince: now,
        createdAt: now,
      };
      await this.#collection.insertOne(record, { session });
      return { ...record, url };
    });
    this.#deps.subscribers.expire();
    return added;
  }

  /** Changes the given fields; null when the owner has none such. Turned on again, it gets nothing from before. */
  async change(
    { id, ...owner }: Owner & { id: string },
    { isActive, ...fields }: DestinationChanges,
    { now, check }: ChangeRules,
  ): Promise<Destination | null> {
    const filter = { _id: id, ...ownedBy(owner) };
    const { changed, switched } = await this.#model.db.transaction(async (session) => {
      const current = check && (await this.#collection.findOne(filter, { session }));
      if (current) check?.(this.#show(current));
      const changed = await this.#findAndUpdate(filter, { $set: this.#toSet(id, fields) }, session);
      const isSwitched = isActive !== undefined && changed !== null && changed.isActive !== isActive;
      const switched =
        isSwitched && (await this.#findAndUpdate(filter, isActive ? on(now) : off(null), session));
      return { changed, switched };
    });
    this.#deps.subscribers.expire();
    if (switched && !isActive) await this.#deps.deliveries.failWaiting(id, switched.activeSince);
    const current = switched || changed;
    return current && this.#show(current);
  }

  #toSet(id: string, { url, ...rest }: Omit<DestinationChanges, 'isActive'>): Partial<DestinationRecord> {
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    return { ...given, ...(url !== undefined && { url: this.#deps.secrets.opened.encryptUrl(id, url) }) };
  }

  /** Whether the owner had this one. Its deliveries go with it. */
  async delete(owner: Owner, id: string): Promise<boolean> {
    const { deletedCount } = await this.#model.deleteOne({ _id: id, ...ownedBy(owner) });
    if (deletedCount === 1) await this.#deps.deliveries.removeOf(id);
    return deletedCount === 1;
  }

  /** Gives one a new secret; null when the owner has none such. */
  async rotateSecret(owner: Owner, id: string, now: Date): Promise<Destination | null> {
    const signing = { _id: id, ...ownedBy(owner), format: 'standard' as const };
    const previousSecretUntil = new Date(now.getTime() + overlapMs);
    const update = { $inc: { secretVersion: 1 }, $set: { previousSecretUntil } };
    const rotated = await this.#findAndUpdate(signing, update);
    return rotated && this.#show(rotated);
  }

  /** What waits for these users' is not sent any more: they lost their rights, or have them again. */
  async dropPending(userIds: readonly number[], transaction?: ClientSession, audience?: Audience) {
    const filter = { userId: { $in: [...userIds] }, ...(audience && { audience }) };
    const update = [{ $set: { activeSince: laterThanBefore(new Date()) } }];
    await this.#collection.updateMany(filter, update, transaction && { session: transaction });
  }

  /** Of a user who is deleted; the deliveries expire. */
  async deleteAll(userId: number, transaction: ClientSession): Promise<void> {
    await this.#model.deleteMany({ userId }, { session: transaction });
    this.#deps.subscribers.expire();
  }

  /** Active ones of these customers, or of all, and of the host: a page at a time by id. */
  listActive(userIds: readonly number[] | null, { after, limit }: { after: string; limit: number }) {
    const owners = userIds && [...userIds, everyCustomer];
    const ofThese = owners && { $or: [{ userId: { $in: owners } }, { audience: 'host' as const }] };
    const active = { isActive: true, ...ofThese, _id: { $gt: after } };
    return this.#model.find(active).sort({ _id: 1 }).limit(limit).lean().exec();
  }

  /** Those of these that there are; the addresses stay encrypted. */
  findMany(ids: readonly string[]): Promise<DestinationRecord[]> {
    return this.#collection.find({ _id: { $in: [...ids] } }).toArray();
  }

  /** With its address as it is called. */
  open(destination: DestinationRecord): Destination {
    if (destination.format === 'mail') return destination;
    return { ...destination, url: this.#deps.secrets.opened.decryptUrl(destination._id, destination.url) };
  }

  /** As its owner sees it; without an address that does not decrypt any more. */
  #show(destination: DestinationRecord): Destination {
    if (!this.#deps.secrets.isUnlocked) return this.open(destination);
    try {
      return this.open(destination);
    } catch {
      return { ...destination, url: '' };
    }
  }

  /** Nothing is tried there before that time. */
  async pause(tried: DestinationRecord, until: Date): Promise<void> {
    await this.#update({ filter: asTried(tried), update: { $max: { pausedUntil: until } } });
  }

  async recordSuccess(tried: DestinationRecord, at: Date): Promise<null> {
    const { failingSince, lastSuccessAt } = tried;
    const isRecent = lastSuccessAt && at.getTime() - lastSuccessAt.getTime() < successStaleMs;
    if (isRecent && !failingSince) return null;
    const update = { $max: { lastSuccessAt: at }, $set: neverFailed };
    return this.#update({ filter: asTried(tried), update });
  }

  /** Counts a failure; returns the failures since the last success, null where it is not as it was tried any more. */
  async recordFailure(tried: DestinationRecord, at: Date): Promise<{ since: Date; count: number } | null> {
    const since = { $ifNull: ['$failingSince', at] };
    const counted = [{ $set: { failingSince: since, failureCount: { $add: ['$failureCount', 1] } } }];
    const updated = await this.#findAndUpdate(asTried(tried), counted);
    return updated && { since: updated.failingSince ?? at, count: updated.failureCount };
  }

  /** Resolves to it as it is then; null where none fits. */
  #findAndUpdate(
    filter: mongo.Filter<DestinationRecord>,
    update: Update | mongo.Document[],
    session?: ClientSession,
  ) {
    const options = { returnDocument: 'after', ...(session && { session }) } as const;
    return this.#collection.findOneAndUpdate(filter, update, options);
  }
}

/** Mail has destinations too, which belong to no user. */
const webhooksOnly = { format: { $ne: 'mail' as const } };

const ownedBy = ({ userId, audience }: Owner) => ({ userId, audience });

const neverFailed = { failingSince: null, failureCount: 0 };
const untried = { ...neverFailed, isActive: true, disabledReason: null, lastSuccessAt: null };

/** Clocks of processes differ. */
const laterThanBefore = (now: Date) => ({ $max: [now, { $add: ['$activeSince', 1] }] });

const on = (now: Date) => [
  { $set: { isActive: true, disabledReason: null, ...neverFailed, activeSince: laterThanBefore(now) } },
];
