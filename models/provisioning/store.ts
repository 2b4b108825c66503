/**
 * Users as the host's own system provisions them, by its external ids. A suspension stamps the user's keys and grants
 * and ends the sessions in the same transaction, so that verifying a key or a token reads no user.
 */
import type { ClientSession, Connection, mongo } from 'mongoose';
import type { ApiKeyQuota } from '../api-key/quota.ts';
import type { ApiKeys } from '../api-key/store.ts';
import type { OAuthGrants } from '../oauth/grants.ts';
import type { Sequences } from '../sequence.ts';
import type { Sessions } from '../session.ts';
import type { Subscriptions } from '../subscription.ts';
import { isDuplicateKey } from '../support/duplicate-key.ts';
import type { UserRecord } from '../user.ts';
import { type Change, type ProvisionedUser, type PutOutcome, StoredUsers } from './stored-users.ts';

export type { ProvisionedUser } from './stored-users.ts';

export interface ProvisionedSubscription {
  providerId: string;
  /** Of the user. */
  externalId: string;
  status: string;
}

export interface ProvisioningParts {
  connection: Connection;
  sequences: Sequences;
  apiKeys: ApiKeys;
  apiKeyQuota: ApiKeyQuota;
  oauthGrants: OAuthGrants;
  sessions: Sessions;
  subscriptions: Subscriptions;
}

/** Concurrent calls may create the same user or take the same address; the next try sees what they stored. */
const triesMax = 3;

export class Provisioning {
  readonly #users;
  readonly #parts: ProvisioningParts;

  constructor(parts: ProvisioningParts) {
    this.#parts = parts;
    this.#users = parts.connection.collection<UserRecord>('users');
  }

  /** Creates or changes one user. */
  async put(user: ProvisionedUser, now: Date): Promise<PutOutcome> {
    const [outcome] = await this.#inTransaction((session) => this.#putAll([user], now, session));
    if (!outcome) throw new Error('a user was provisioned without an outcome');
    return outcome;
  }

  /**
   * Creates or changes users batch by batch, all or none.
   * @returns the outcomes' states in order; when one is `email_taken`, nothing has changed
   */
  async import(
    readBatches: () => AsyncIterable<ProvisionedUser[]>,
    now: Date,
  ): Promise<PutOutcome['state'][]> {
    const states: PutOutcome['state'][] = [];
    const importAll = async (session: ClientSession) => {
      states.length = 0;
      for await (const batch of readBatches())
        for (const { state } of await this.#putAll(batch, now, session)) states.push(state);
      if (states.includes('email_taken')) await session.abortTransaction();
    };
    await this.#inTransaction(importAll);
    return states;
  }

  /**
   * Creates or changes subscriptions batch by batch, all or none.
   * @returns the positions of those whose user does not exist; when there are any, nothing has changed
   */
  async importSubscriptions(
    readBatches: () => AsyncIterable<ProvisionedSubscription[]>,
    now: Date,
  ): Promise<{ created: number; total: number; unknownUsers: number[] }> {
    return this.#inTransaction(async (session) => {
      const outcome = { created: 0, total: 0, unknownUsers: [] as number[] };
      for await (const batch of readBatches()) {
        const userIds = await this.#findUserIds(batch, session);
        const known = batch.flatMap(({ externalId, ...subscription }, index) => {
          const userId = userIds.get(externalId);
          if (userId === undefined) outcome.unknownUsers.push(outcome.total + index);
          return userId === undefined ? [] : [{ ...subscription, userId }];
        });
        outcome.total += batch.length;
        outcome.created += await this.#parts.subscriptions.putAll(known, now, session);
      }
      if (outcome.unknownUsers.length > 0) await session.abortTransaction();
      return outcome;
    });
  }

  async #findUserIds(batch: readonly ProvisionedSubscription[], session: ClientSession) {
    const externalIds = [...new Set(batch.map(({ externalId }) => externalId))];
    const projection = { externalId: 1 };
    const users = await this.#users
      .find({ externalId: { $in: externalIds } }, { session, projection })
      .toArray();
    return new Map(users.map(({ _id, externalId }) => [externalId, _id]));
  }

  async #inTransaction<Outcome>(run: (session: ClientSession) => Promise<Outcome>): Promise<Outcome> {
    for (let tries = 1; ; tries += 1)
      try {
        return await this.#parts.connection.transaction(run);
      } catch (failure) {
        if (!isDuplicateKey(failure) || tries === triesMax) throw failure;
      }
  }

  async #putAll(batch: ProvisionedUser[], now: Date, session: ClientSession): Promise<PutOutcome[]> {
    const stored = await this.#findStored(batch, session);
    const outcomes = batch.map((wanted) => stored.put(wanted, now));
    // Updates first: a new user may take the address that another one gives up.
    await this.#update(stored.changes, session);
    const created = outcomes.flatMap((outcome) => (outcome.state === 'created' ? [outcome.user] : []));
    await this.#insert(created, session);
    for (const isActive of [true, false]) {
      const switched = stored.changes.filter(({ fields }) => fields.isActive === isActive);
      if (switched.length > 0)
        await this.#switch(
          switched.map(({ id }) => id),
          { isActive, now, session },
        );
    }
    return outcomes;
  }

  async #findStored(batch: readonly ProvisionedUser[], session: ClientSession): Promise<StoredUsers> {
    const find = (filter: mongo.Filter<UserRecord>) => this.#users.find(filter, { session }).toArray();
    return new StoredUsers([
      ...(await find({ externalId: { $in: batch.map(({ externalId }) => externalId) } })),
      ...(await find({ email: { $in: batch.map(({ email }) => email) } })),
    ]);
  }

  async #insert(users: readonly UserRecord[], session: ClientSession): Promise<void> {
    if (users.length === 0) return;
    const firstId = await this.#parts.sequences.take('user', users.length);
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

  async #switch(userIds: number[], { isActive, now, session }: Switch): Promise<void> {
    const { apiKeys, apiKeyQuota, oauthGrants, sessions } = this.#parts;
    await apiKeyQuota.lock(userIds, session);
    await apiKeys.setSuspended(userIds, isActive ? null : now, session);
    await oauthGrants.setSuspended(userIds, isActive ? null : now, session);
    if (!isActive) await sessions.endAll(userIds, session);
  }
}

interface Switch {
  isActive: boolean;
  now: Date;
  session: ClientSession;
}
