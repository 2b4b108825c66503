/** Endpoints: where events are sent. Their number is bounded, and each change updates who subscribes to what. */
import { randomBytes } from 'node:crypto';
import type { ClientSession, Connection, mongo } from 'mongoose';
import pLimit from 'p-limit';
import type { ApiKeyQuota } from '../api-key/quota.ts';
import { limitByKey } from '../support/limit-by-key.ts';
import type { UserRecord } from '../user.ts';
import type { WebhookDeliveries } from './deliveries.ts';
import type { Subscription } from './event-types.ts';
import {
  type Audience,
  audiences,
  type EndpointRecord,
  endpointSchema,
  type WebhookFormat,
} from './schema.ts';
import type { WebhookSecrets } from './secrets.ts';
import type { Subscribers } from './subscribers.ts';

/** How many a customer may have, and an administrator for the host. */
export const endpointsMax: Record<Audience, number> = { customer: 10, host: 20 };

/** For how long the secret before a rotation signs too. */
const overlapMs = 24 * 60 * 60 * 1000;

export interface Owner {
  userId: number;
  audience: Audience;
}

interface NewEndpoint extends Owner {
  url: string;
  format: WebhookFormat;
  events: Subscription[];
  description: string | null;
  keyId: string;
  appName?: string;
}

/** Undefined fields keep their value. */
interface EndpointChanges extends Partial<Pick<EndpointRecord, 'heldBy' | 'handedBy'>> {
  url?: string | undefined;
  /** Of who changes the address. */
  urlKeyId?: string | undefined;
  events?: Subscription[] | undefined;
  description?: string | null | undefined;
  isActive?: boolean | undefined;
}

/** With its address. */
export type Endpoint = EndpointRecord;

interface EndpointsDeps {
  quota: ApiKeyQuota;
  secrets: WebhookSecrets;
  subscribers: Subscribers;
  deliveries: WebhookDeliveries;
}

export class Webhooks {
  readonly #model;
  readonly #collection: mongo.Collection<EndpointRecord>;
  readonly #users;
  readonly #deps: EndpointsDeps;
  /** Every change increments one counter, so concurrent transactions would conflict and be retried. */
  readonly #oneAfterAnother = pLimit(1);
  /** In front of it, so that the many changes of one user let those of others through. */
  readonly #oneOfEachUser = limitByKey<number>(1);

  constructor(connection: Connection, deps: EndpointsDeps) {
    this.#model = connection.model('Webhook', endpointSchema, 'webhooks');
    this.#collection = connection.collection<EndpointRecord>('webhooks');
    this.#users = connection.collection<Pick<UserRecord, '_id'>>('users');
    this.#deps = deps;
  }

  /** Whether this endpoint is stored; without an id, whether any is. */
  async has(id?: string): Promise<boolean> {
    return (await this.#model.exists({ _id: id ?? { $gt: '' } })) !== null;
  }

  /** An owner's, newest first. */
  async list({ userId, audience }: Owner): Promise<Endpoint[]> {
    const found = await this.#model.find({ userId, audience }).sort({ createdAt: -1, _id: -1 }).lean();
    return found.map((endpoint) => this.open(endpoint));
  }

  /** Of one user, or of all. */
  async listAll(userId?: number): Promise<Endpoint[]> {
    const filter = userId === undefined ? { _id: { $gt: '' } } : { userId };
    const found = await this.#model.find(filter).sort({ _id: 1 }).lean();
    return found.map((endpoint) => this.open(endpoint));
  }

  async findOwned({ userId, audience }: Owner, id: string): Promise<Endpoint | null> {
    const found = await this.#model.findOne({ _id: id, userId, audience }).lean();
    return found && this.open(found);
  }

  /** Adds an endpoint, which gets events from now on; null when the owner has as many as there may be, or is deleted. */
  add({ url, ...endpoint }: NewEndpoint, now: Date): Promise<Endpoint | null> {
    return this.#change(endpoint, async (session) => {
      await this.#deps.quota.lock([endpoint.userId], session); // as a deletion does
      const owner = await this.#users.findOne({ _id: endpoint.userId }, { session });
      const count = await this.#model.countDocuments(ownedBy(endpoint)).session(session);
      if (!owner || count >= endpointsMax[endpoint.audience]) return null;
      const _id = `whk_${randomBytes(16).toString('hex')}`;
      const record: EndpointRecord = {
        ...{ ...endpoint, _id, url: this.#deps.secrets.opened.encryptUrl(_id, url) },
        ...{ disabledReason: null, isActive: true, secretVersion: 1, previousSecretUntil: null, epoch: 1 },
        ...{ activeSince: now, createdAt: now, lastSuccessAt: null, failingSince: null, failureCount: 0 },
      };
      await this.#collection.insertOne(record, { session });
      return { ...record, url };
    });
  }

  /** Changes the given fields; null when the owner has no such endpoint. Turned on again, it gets nothing from before. */
  async change(
    { id, ...owner }: Owner & { id: string },
    { url, isActive, ...rest }: EndpointChanges,
    now: Date,
  ): Promise<Endpoint | null> {
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    const sealed = url !== undefined && { url: this.#deps.secrets.opened.encryptUrl(id, url) };
    const changed = await this.#change(owner, async (session) => {
      const filter = { _id: id, ...ownedBy(owner) };
      const update = { $set: { ...given, ...sealed } };
      if (isActive !== undefined)
        await this.#model.updateOne({ ...filter, isActive: !isActive }, isActive ? on(now) : off(null), {
          session,
        });
      return this.#model.findOneAndUpdate(filter, update, { session, returnDocument: 'after' }).lean();
    });
    if (changed && isActive === false) await this.#deps.deliveries.dropBefore(id, changed.epoch);
    return changed && this.open(changed);
  }

  /** Whether the owner had this endpoint. Its deliveries go with it. */
  async delete(owner: Owner, id: string): Promise<boolean> {
    const isDeleted = await this.#change(owner, async (session) => {
      const { deletedCount } = await this.#model.deleteOne({ _id: id, ...ownedBy(owner) }, { session });
      return deletedCount === 1;
    });
    if (isDeleted) await this.#deps.deliveries.removeOf(id);
    return isDeleted;
  }

  /** Gives the endpoint a new secret; null when the owner has no such endpoint. */
  async rotateSecret(owner: Owner, id: string, now: Date): Promise<Endpoint | null> {
    const signing = { _id: id, ...ownedBy(owner), format: 'standard' as const };
    const previousSecretUntil = new Date(now.getTime() + overlapMs);
    const update = { $inc: { secretVersion: 1 }, $set: { previousSecretUntil } };
    const rotated = await this.#model.findOneAndUpdate(signing, update, { returnDocument: 'after' }).lean();
    return rotated && this.open(rotated);
  }

  /** Turns an endpoint off, and says why; false when it was off. What it waits for is dropped. */
  async disable(id: string, disabledReason: string): Promise<boolean> {
    const found = await this.#model.findById(id).lean();
    if (!found) return false;
    const disabled = await this.#change(found, (session) =>
      this.#model
        .findOneAndUpdate({ _id: id, isActive: true }, off(disabledReason), {
          session,
          returnDocument: 'after',
        })
        .lean(),
    );
    if (disabled) await this.#deps.deliveries.dropBefore(id, disabled.epoch);
    return disabled !== null;
  }

  /** Turns off those of an owner's that are meant; those that are off get the reason, too. */
  async turnOff(owner: Owner, isMeant: (endpoint: EndpointRecord) => boolean, disabledReason: string) {
    const found = (await this.#model.find(ownedBy(owner)).lean()).filter(isMeant);
    if (found.length === 0) return;
    const endpoints = { _id: { $in: found.map(({ _id }) => _id) } };
    const inactive = { ...endpoints, isActive: false, disabledReason: null };
    await this.#change(owner, async (session) => {
      await this.#model.updateMany({ ...endpoints, isActive: true }, off(disabledReason), { session });
      await this.#model.updateMany(inactive, { $set: { disabledReason } }, { session });
    });
  }

  /** What these users' endpoints wait for is not sent any more: they lost their rights, or have them again. */
  async dropPending(userIds: readonly number[], transaction?: ClientSession, audience?: Audience) {
    const filter = { userId: { $in: userIds }, ...(audience && { audience }) };
    const update = { $inc: { epoch: 1 }, $set: { activeSince: new Date() } };
    await this.#model.updateMany(filter, update).session(transaction ?? null);
  }

  /** Of a user who is deleted; the deliveries expire. */
  async deleteAll(userId: number, transaction: ClientSession): Promise<void> {
    const { deletedCount } = await this.#model.deleteMany({ userId }, { session: transaction });
    if (deletedCount === 0) return;
    for (const audience of audiences)
      await this.#deps.subscribers.put({ userId, audience, types: [] }, transaction);
  }

  /** Active endpoints of these customers and of the host. */
  async listActive(userIds: readonly number[]): Promise<EndpointRecord[]> {
    const customers = { userId: { $in: userIds }, audience: 'customer' as const, isActive: true };
    const [ofCustomers, ofHost] = await Promise.all([
      userIds.length > 0 ? this.#model.find(customers).lean() : [],
      this.#model.find({ isActive: true, audience: 'host' }).lean(),
    ]);
    return [...ofCustomers, ...ofHost];
  }

  /** Active endpoints of all customers, a page at a time by id. */
  listActivePage(after: string, limit: number): Promise<EndpointRecord[]> {
    const active = { isActive: true, audience: 'customer' as const, _id: { $gt: after } };
    return this.#model.find(active).sort({ _id: 1 }).limit(limit).lean().exec();
  }

  /** With its address as it is called. */
  open(endpoint: EndpointRecord): Endpoint {
    return { ...endpoint, url: this.#deps.secrets.opened.decryptUrl(endpoint._id, endpoint.url) };
  }

  /** Changes an owner's endpoints and what is known of them; changes of all owners run one after another. */
  async #change<Outcome>({ userId, audience }: Owner, change: (session: ClientSession) => Promise<Outcome>) {
    const run = async (session: ClientSession) => {
      const changed = await change(session);
      const active = await this.#model.find({ userId, audience, isActive: true }, { events: 1 }, { session });
      const types = [...new Set(active.flatMap(({ events }) => events))];
      await this.#deps.subscribers.put({ userId, audience, types }, session);
      return changed;
    };
    const outcome = await this.#oneOfEachUser(userId, () =>
      this.#oneAfterAnother(() => this.#model.db.transaction(run)),
    );
    this.#deps.subscribers.expire();
    return outcome;
  }
}

const ownedBy = ({ userId, audience }: Owner) => ({ userId, audience });

const off = (disabledReason: string | null) => ({
  $set: { isActive: false, disabledReason },
  $inc: { epoch: 1 },
});

const fresh = { failingSince: null, failureCount: 0 };
const on = (now: Date) => ({
  $set: { isActive: true, disabledReason: null, ...fresh, activeSince: now },
  $inc: { epoch: 1 },
});
