/** Webhooks, as their owners manage them: each belongs to a user, and their number is bounded. */
import { randomBytes } from 'node:crypto';
import type { ClientSession, Connection, mongo } from 'mongoose';
import type { ApiKeyRecord, ApiKeys } from '../api-key/store.ts';
import { destinationsMax } from '../bounds.ts';
import { runTransaction } from '../support/transaction.ts';
import type { Users } from '../user.ts';
import type { Vault } from '../vault.ts';
import type { Deliveries } from './deliveries.ts';
import { type Destinations, ifUnchanged } from './destinations.ts';
import type { EventSelector } from './event-types.ts';
import type { Events } from './events.ts';
import { type Audience, type DestinationRecord, neverFailed, newDestinationState } from './schema.ts';

/** How long the previous secret still signs after a rotation. */
const overlapMs = 24 * 60 * 60 * 1000;

export interface Owner {
  userId: number;
  audience: Audience;
}

/** The key or the app's grant that creates the webhook, and the name of the key or app; both absent for the account page. */
export interface Maker extends Owner {
  keyId?: string;
  madeBy?: string;
}

type NewWebhook = Maker & Pick<DestinationRecord, 'url' | 'format' | 'events' | 'description'>;

/** Undefined fields keep their value. */
interface WebhookChanges {
  url?: string | undefined;
  /** The key that the webhook belongs to from now on. */
  keyId?: string | undefined;
  events?: EventSelector[] | undefined;
  description?: string | null | undefined;
  isActive?: boolean | undefined;
}

interface EndedKeys {
  userId: number;
  keyIds: readonly string[];
  /** Maps each key to its predecessor; empty unless webhooks that moved to a successor end, too. */
  predecessors: ReadonlyMap<string, string>;
  disabledReason: string;
}

interface ChangeOptions {
  now: Date;
  /** Throws to prevent the change. */
  check?: ((current: DecryptedDestination) => void) | undefined;
  transaction: ClientSession;
}

export type DecryptedDestination = DestinationRecord;

interface WebhooksDeps {
  users: Users;
  apiKeys: ApiKeys;
  destinations: Destinations;
  deliveries: Deliveries;
  events: Events;
  vault: Vault;
}

type Update = mongo.UpdateFilter<DestinationRecord>;

export class Webhooks {
  readonly #connection: Connection;
  readonly #collection: mongo.Collection<DestinationRecord>;
  readonly #deps: WebhooksDeps;

  constructor(connection: Connection, deps: WebhooksDeps) {
    this.#connection = connection;
    this.#collection = deps.destinations.collection;
    this.#deps = deps;
  }

  /**
   * Turns a webhook off, notifies its owner and fails its waiting deliveries. Resolves to false when it is off already, or has
   * changed since `snapshot`.
   */
  async disable(id: string, disabledReason: string, snapshot?: DestinationRecord): Promise<boolean> {
    const disabled = await runTransaction(this.#connection, async (session) => {
      // Only the settings turn mail off.
      const filter = { _id: id, ...(snapshot && ifUnchanged(snapshot)), isActive: true, ...webhooksOnly };
      const found = await this.#findAndUpdate(filter, { $set: turnedOff(disabledReason) }, session);
      if (found) await this.#recordDisabled(found, session);
      return found;
    });
    if (disabled) await this.#deps.deliveries.failWaiting(id, disabled.activeSince);
    return disabled !== null;
  }

  /** Turns off the webhooks of ended keys; those that are already off get the reason, too. */
  async turnOffOfKeys(
    { userId, keyIds, predecessors, disabledReason }: EndedKeys,
    session: ClientSession,
  ): Promise<void> {
    const ended = new Set(keyIds);
    const ofKeys = await this.#collection.find({ userId, keyId: { $gt: '' } }, { session }).toArray();
    const affected = ofKeys.filter((one) => keyChainOf(one, predecessors).some((id) => ended.has(id)));
    for (const { _id, isActive, ...before } of affected) {
      const reason = before.disabledReason ?? disabledReason;
      const update = { $set: { ...turnedOff(reason), keyId: null, setByKeyId: null } };
      const changed = await this.#findAndUpdate({ _id }, update, session);
      if (changed && isActive) await this.#recordDisabled(changed, session);
    }
  }

  async moveToSuccessor(
    { _id: keyId, userId }: Pick<ApiKeyRecord, '_id' | 'userId'>,
    successor: string,
    session: ClientSession,
  ) {
    await this.#collection.updateMany({ userId, keyId }, { $set: { keyId: successor } }, { session });
  }

  async #recordDisabled(destination: DestinationRecord, session: ClientSession): Promise<void> {
    const { _id: id, description, userId, disabledReason: reason } = destination;
    const webhook = { id, description, host: this.#hostOf(destination) };
    const event = { type: 'webhook.disabled', userId, at: new Date(), data: { webhook, reason } } as const;
    await this.#deps.events.record([event], session);
  }

  /** Without an id, resolves to whether there is any webhook. */
  async has(id?: string): Promise<boolean> {
    return (await this.#collection.findOne({ _id: id ?? { $gt: '' }, ...webhooksOnly })) !== null;
  }

  async list({ userId, audience }: Owner): Promise<DecryptedDestination[]> {
    const found = await this.#collection
      .find({ userId, audience }, { sort: { createdAt: -1, _id: -1 } })
      .toArray();
    return found.map((one) => this.#show(one));
  }

  async listAll(userId?: number): Promise<DecryptedDestination[]> {
    const filter = { ...(userId === undefined ? { _id: { $gt: '' } } : { userId }), ...webhooksOnly };
    const found = await this.#collection.find(filter, { sort: { _id: 1 } }).toArray();
    return found.map((one) => this.#show(one));
  }

  async findOwned({ userId, audience }: Owner, id: string): Promise<DecryptedDestination | null> {
    const found = await this.#collection.findOne({ _id: id, userId, audience });
    return found && this.#show(found);
  }

  /** The webhook gets events from `now` on. Resolves to null when the owner has `destinationsMax` webhooks, or is deleted. */
  async add(
    { url, keyId = '', ...destination }: NewWebhook,
    now: Date,
    session: ClientSession,
  ): Promise<DecryptedDestination | null> {
    await this.#deps.apiKeys.lock([destination.userId], session); // a deletion takes the same lock, so the two conflict
    const count = await this.#collection.countDocuments(ownedBy(destination), { session });
    const isThere = (await this.#deps.users.findInTransaction(destination.userId, session)) !== null;
    if (!isThere || count >= destinationsMax[destination.audience]) return null;
    const _id = `whk_${randomBytes(16).toString('hex')}`;
    const record: DestinationRecord = {
      ...destination,
      _id,
      url: this.#deps.vault.opened.encryptUrl(_id, url),
      madeBy: destination.madeBy ?? null,
      ...(await this.#belongingTo(keyId, session)),
      ...newDestinationState(now),
    };
    await this.#collection.insertOne(record, { session });
    return { ...record, url };
  }

  /** A webhook that is turned on again gets no earlier events. After turning a webhook off, call `failWaitingIfOff`. */
  async change(
    { id, ...owner }: Owner & { id: string },
    { isActive, keyId, ...fields }: WebhookChanges,
    { now, check, transaction: session }: ChangeOptions,
  ): Promise<DecryptedDestination | null> {
    const filter = { _id: id, ...ownedBy(owner) };
    const current = await this.#collection.findOne(filter, { session });
    if (!current) return null;
    check?.(this.#show(current));
    if (keyId !== undefined) await this.#deps.apiKeys.lock([owner.userId], session);
    const isSwitched = isActive !== undefined && isActive !== current.isActive;
    const changes = {
      ...this.#toSet(id, fields),
      ...(keyId !== undefined && (await this.#belongingTo(keyId, session))),
      ...(isSwitched && (isActive ? turnedOn(current, now) : turnedOff(null))),
    };
    const changed = await this.#findAndUpdate(filter, { $set: changes }, session);
    return changed && this.#show(changed);
  }

  async failWaitingIfOff(id: string): Promise<void> {
    const found = await this.#collection.findOne({ _id: id, isActive: false });
    if (found) await this.#deps.deliveries.failWaiting(id, found.activeSince);
  }

  /** A rotated key may set addresses until its overlap ends. Webhooks with those addresses belong to its successor. */
  async #belongingTo(setByKeyId: string, session: ClientSession) {
    const successors = setByKeyId === '' ? [] : await this.#deps.apiKeys.listSuccessors(setByKeyId, session);
    return { keyId: successors.at(-1) ?? setByKeyId, setByKeyId };
  }

  #toSet(
    id: string,
    { url, ...rest }: Omit<WebhookChanges, 'isActive' | 'keyId'>,
  ): Partial<DestinationRecord> {
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    return { ...given, ...(url !== undefined && { url: this.#deps.vault.opened.encryptUrl(id, url) }) };
  }

  async delete(owner: Owner, id: string, session: ClientSession): Promise<boolean> {
    const { deletedCount } = await this.#collection.deleteOne({ _id: id, ...ownedBy(owner) }, { session });
    return deletedCount === 1;
  }

  async rotateSecret(
    { id, ...owner }: Owner & { id: string },
    now: Date,
    session: ClientSession,
  ): Promise<DecryptedDestination | null> {
    const signing = { _id: id, ...ownedBy(owner), format: 'standard' as const };
    const previousSecretUntil = new Date(now.getTime() + overlapMs);
    const update = { $inc: { secretVersion: 1 }, $set: { previousSecretUntil } };
    const rotated = await this.#findAndUpdate(signing, update, session);
    return rotated && this.#show(rotated);
  }

  /** Stops waiting deliveries to the webhooks of these users, who have lost or regained their rights. */
  async invalidateEarlierDeliveries(
    userIds: readonly number[],
    transaction?: ClientSession,
    audience?: Audience,
  ) {
    const filter = { userId: { $in: [...userIds] }, ...(audience && { audience }) };
    const later = { $max: [new Date(), { $add: ['$activeSince', 1] }] };
    const update = [{ $set: { activeSince: later } }];
    await this.#collection.updateMany(filter, update, transaction && { session: transaction });
  }

  /** Deliveries to these webhooks stay until they expire. */
  async deleteAll(userId: number, transaction: ClientSession): Promise<void> {
    await this.#collection.deleteMany({ userId }, { session: transaction });
  }

  /** The secrets that sign a webhook's deliveries at `now`, in the Standard Webhooks format, the current one first. */
  signingSecrets(
    { _id, secretVersion, previousSecretUntil }: DestinationRecord,
    now: Date,
  ): [string, ...string[]] {
    const { signingSecret } = this.#deps.vault.opened;
    const current = signingSecret(_id, secretVersion);
    const hasPrevious = previousSecretUntil !== null && previousSecretUntil > now;
    return hasPrevious ? [current, signingSecret(_id, secretVersion - 1)] : [current];
  }

  decryptAddress(destination: DestinationRecord): DecryptedDestination {
    if (destination.format === 'mail') return destination;
    return { ...destination, url: this.#deps.vault.opened.decryptUrl(destination._id, destination.url) };
  }

  /** The webhook as its owner sees it; the address is empty if it no longer decrypts. */
  #show(destination: DestinationRecord): DecryptedDestination {
    if (!this.#deps.vault.isUnlocked) return this.decryptAddress(destination);
    try {
      return this.decryptAddress(destination);
    } catch {
      return { ...destination, url: '' };
    }
  }

  /** Only the host, because the rest of the address may be a secret; null if the address does not decrypt. */
  #hostOf(destination: DestinationRecord): string | null {
    try {
      return new URL(this.decryptAddress(destination).url).host;
    } catch {
      return null;
    }
  }

  #findAndUpdate(
    filter: mongo.Filter<DestinationRecord>,
    update: Update | mongo.Document[],
    session?: ClientSession,
  ) {
    const options = { returnDocument: 'after', ...(session && { session }) } as const;
    return this.#collection.findOneAndUpdate(filter, update, options);
  }
}

/** The collection also has the destinations of mail, which belong to no user. */
const webhooksOnly = { format: { $ne: 'mail' as const } };

/** The webhook's key and that key's predecessors, back to the one that set the address. */
function keyChainOf(
  { keyId, setByKeyId }: DestinationRecord,
  predecessors: EndedKeys['predecessors'],
): string[] {
  const holders: string[] = [];
  for (
    let id = keyId ?? undefined;
    id !== undefined;
    id = id === setByKeyId ? undefined : predecessors.get(id)
  )
    holders.push(id);
  return holders;
}

const turnedOff = (disabledReason: string | null) => ({ isActive: false, disabledReason });

const ownedBy = ({ userId, audience }: Owner) => ({ userId, audience });

/** The new `activeSince` is always later than the old one, even if the clocks of processes differ. */
const turnedOn = ({ activeSince }: DestinationRecord, now: Date) => ({
  ...{ isActive: true, disabledReason: null, ...neverFailed },
  activeSince: new Date(Math.max(now.getTime(), activeSince.getTime() + 1)),
});
