/** Users and subscriptions that the host's own system provisions, under its external ids. */
import type { ClientSession, mongo } from 'mongoose';
import type { Sequences } from '../sequence.ts';
import type { Stores } from '../stores.ts';
import type { NewSubscription, PutSubscriptions } from '../subscription.ts';
import type { UserRecord } from '../user.ts';
import {
  type AdoptResult,
  type Change,
  eventsOf,
  type PanelCustomer,
  type ProvisionedUser,
  type PutOptions,
  type PutResult,
  StoredUsers,
  type UniqueFields,
} from './stored-users.ts';
import type { UserAccess } from './user-access.ts';

export type { AdoptResult, PanelCustomer, ProvisionedUser, PutResult } from './stored-users.ts';

export const isTaken = (state: PutResult['state']) => state === 'email_taken' || state === 'panel_user_taken';

export type ProvisionedSubscription = Omit<NewSubscription, 'userId'> & { externalId: string };

type ProvisioningDeps = Stores & { sequences: Sequences; userAccess: UserAccess };

interface ImportSource<Entry> {
  /** Called several times; each call must start from the first batch. */
  readBatches(): AsyncIterable<Entry[]>;
  isDryRun: boolean;
}

export class Provisioning {
  readonly #users;
  readonly #deps: ProvisioningDeps;

  constructor(deps: ProvisioningDeps) {
    this.#deps = deps;
    this.#users = deps.users.collection;
  }

  /** Refuses to change staff. `keyId` is the calling key, if there is one. */
  async put(
    user: ProvisionedUser,
    now: Date,
    { keyId = null, transaction }: { keyId?: string | null; transaction?: ClientSession } = {},
  ): Promise<PutResult> {
    const rules = { now, refusesStaffChanges: true, keyId };
    const putOne = (session: ClientSession) => this.#putAll([user], rules, session);
    const [result] = await this.#deps.transaction(putOne, transaction);
    if (!result) throw new Error('A provisioned user has no result');
    return result;
  }

  /** All or none: if any value is taken, nothing changes. Resolves to the users' states, in order. */
  async import(
    { readBatches, isDryRun }: ImportSource<ProvisionedUser>,
    now: Date,
  ): Promise<PutResult['state'][]> {
    const states: PutResult['state'][] = [];
    const freed = new Map<number, UniqueFields>();
    const rules = { now, refusesStaffChanges: false, freed };
    const importAll = async (session: ClientSession) => {
      states.length = 0;
      for await (const batch of readBatches())
        for (const { id, before } of await this.#freeTaken(batch, session)) freed.set(id, before);
      for await (const batch of readBatches())
        for (const { state } of await this.#putAll(batch, rules, session)) states.push(state);
      if (isDryRun || states.some(isTaken)) await session.abortTransaction();
    };
    await this.#deps.transaction(importAll);
    return states;
  }

  /** Adds a user for each panel user without one, in one transaction; existing users are not changed. */
  adoptPanelUsers(
    batch: readonly PanelCustomer[],
    { now, isDryRun }: { now: Date; isDryRun: boolean },
  ): Promise<AdoptResult['state'][]> {
    return this.#deps.transaction(async (session) => {
      const stored = await this.#findStored(batch, session);
      const results = batch.map((customer) => stored.adopt(customer, now));
      const created = results.flatMap((result) => (result.state === 'created' ? [result.user] : []));
      if (!isDryRun) await this.#insert(created, session);
      return results.map(({ state }) => state);
    });
  }

  /** If any entry's user does not exist, nothing changes. `unknownUsers` has the positions of those entries. */
  async importSubscriptions(
    { readBatches, isDryRun }: ImportSource<ProvisionedSubscription>,
    now: Date,
    onPut: (put: PutSubscriptions, session: ClientSession) => Promise<void>,
  ): Promise<{ created: number; total: number; unknownUsers: number[] }> {
    return this.#deps.transaction(async (session) => {
      const result = { created: 0, total: 0, unknownUsers: [] as number[] };
      for await (const batch of readBatches()) {
        const userIds = await this.#findUserIds(batch, session);
        const known = batch.flatMap(({ externalId, ...subscription }, index) => {
          const userId = userIds.get(externalId);
          if (userId === undefined) result.unknownUsers.push(result.total + index);
          return userId === undefined ? [] : [{ ...subscription, userId }];
        });
        const put = await this.#deps.subscriptions.put(known, now, session);
        await onPut(put, session);
        result.total += batch.length;
        result.created += put.after.length - put.before.length;
      }
      if (isDryRun || result.unknownUsers.length > 0) await session.abortTransaction();
      return result;
    });
  }

  async #findUserIds(batch: readonly ProvisionedSubscription[], session: ClientSession) {
    const externalIds = [...new Set(batch.map(({ externalId }) => externalId))];
    const users = await this.#users.find({ externalId: { $in: externalIds } }, { session }).toArray();
    return new Map(users.map(({ _id, externalId }) => [externalId, _id]));
  }

  /** Frees the addresses and panel users of users who get new ones, so that entries can swap them in any order. */
  async #freeTaken(batch: ProvisionedUser[], session: ClientSession): Promise<Change[]> {
    const wanted = new Map(batch.map((each) => [each.externalId, each]));
    const users = await this.#users.find({ externalId: { $in: [...wanted.keys()] } }, { session }).toArray();
    const freed = users.flatMap(({ _id: id, externalId, ...stored }) => {
      const { email = stored.email, panelUserId = stored.panelUserId } = wanted.get(externalId ?? '') ?? {};
      const fields = {
        ...(email !== stored.email && { email: `changes ${id}` }), // no address has a space
        ...(panelUserId !== stored.panelUserId && { panelUserId: -id }), // no panel user has a negative id
      };
      return Object.keys(fields).length > 0 ? [{ id, fields, before: stored }] : [];
    });
    await this.#update(freed, session);
    return freed;
  }

  async #putAll(batch: ProvisionedUser[], rules: PutOptions, session: ClientSession): Promise<PutResult[]> {
    const { now } = rules;
    const stored = await this.#findStored(batch, session);
    const results = batch.map((wanted) => stored.put(wanted, rules));
    await this.#update(stored.changes, session);
    const created = results.flatMap((result) => (result.state === 'created' ? [result.user] : []));
    await this.#insert(created, session);
    const moved = stored.changes.filter(({ fields }) => fields.email !== undefined);
    if (moved.length > 0)
      await this.#deps.userAccess.endMailProofs(
        moved.map(({ id }) => id),
        session,
      );
    await this.#deps.events.record(eventsOf(stored.changes, rules), session);
    for (const isActive of [true, false]) {
      const switched = stored.changes.filter(({ fields }) => fields.isActive === isActive);
      const ids = switched.map(({ id }) => id);
      if (ids.length > 0)
        await this.#deps.userAccess.setSuspended(ids, { isActive, now, transaction: session });
    }
    return results;
  }

  async #findStored(
    batch: readonly (ProvisionedUser | PanelCustomer)[],
    session: ClientSession,
  ): Promise<StoredUsers> {
    const find = (filter: mongo.Filter<UserRecord>) => this.#users.find(filter, { session }).toArray();
    return new StoredUsers([
      ...(await find({ _id: { $in: batch.flatMap((wanted) => ('id' in wanted && wanted.id) || []) } })),
      ...(await find({ externalId: { $gt: '', $in: batch.flatMap(({ externalId }) => externalId ?? []) } })),
      ...(await find({ email: { $in: batch.flatMap(({ email }) => email ?? []) } })),
      // `$gt: 0` lets MongoDB use the partial index, which has no nulls.
      ...(await find({
        panelUserId: { $gt: 0, $in: batch.flatMap(({ panelUserId }) => panelUserId ?? []) },
      })),
    ]);
  }

  async #insert(users: readonly UserRecord[], session: ClientSession): Promise<void> {
    if (users.length === 0) return;
    const firstId = await this.#deps.sequences.take('user', users.length);
    for (const [index, user] of users.entries()) user._id = firstId + index;
    await this.#users.insertMany([...users], { session });
  }

  async #update(changes: readonly Change[], session: ClientSession): Promise<void> {
    if (changes.length === 0) return;
    const updates = changes.map(({ id: _id, fields }) => ({
      updateOne: { filter: { _id }, update: { $set: fields } },
    }));
    await this.#users.bulkWrite(updates, { session });
  }
}
