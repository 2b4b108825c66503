/** Ends the webhooks and links of ended keys and app connections. If a key leaked, also ends what its links led to. */
import type { ClientSession } from 'mongoose';
import type { ApiKeyRecord, Rotation } from './api-key/store.ts';
import type { OAuthGrantRecord } from './oauth/grants.ts';
import type { DestinationRecord } from './outbox/schema.ts';
import type { Stores } from './stores.ts';

/** Shown to the webhook's owner. */
const reasons = {
  leaked: 'The key or app that made it was revoked as leaked',
  revoked: 'The key that made it, or set its address, was revoked',
  rotated: 'The key that made it, or set its address, was rotated without overlap',
  expired: 'The key that made it, or set its address, has expired',
  disconnected: 'The app that made it was disconnected',
  replayed: 'The app that made it was disconnected: one of its codes or tokens was used twice',
  ended: 'The app that made it ended its connection',
  gone: 'The key or app connection that made it has ended',
};

type EndReason = keyof typeof reasons;

type Credential = Pick<ApiKeyRecord | OAuthGrantRecord, '_id' | 'userId'>;

export class Credentials {
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** Call it in the transaction that ends the credentials. */
  async endDependents(
    ended: readonly Credential[],
    ending: EndReason,
    transaction: ClientSession,
  ): Promise<void> {
    const { apiKeys, signInLinks, webhooks } = this.#stores;
    const ids = ended.map(({ _id }) => _id);
    const disabledReason = reasons[ending];
    for (const userId of new Set(ended.map((each) => each.userId))) {
      const predecessors =
        ending === 'leaked' ? await apiKeys.listPredecessors(userId, transaction) : new Map();
      await webhooks.turnOffOfKeys({ userId, keyIds: ids, predecessors, disabledReason }, transaction);
    }
    await signInLinks.deleteMadeBy(ids, transaction);
    if (ending === 'leaked') await this.#endSignIns(ids, transaction);
  }

  /** Ends sessions that began with these keys' links, and removes the passwords and factors that were set in them. */
  async #endSignIns(keyIds: readonly string[], transaction: ClientSession): Promise<void> {
    const { secondFactors, sessions, users, events } = this.#stores;
    const at = new Date();
    await sessions.endMadeBy(keyIds, transaction);
    await secondFactors.removeMadeBy(keyIds, at, transaction);
    const userIds = await users.removePasswordsOf(keyIds, transaction);
    const removed = { type: 'password.changed', at, data: { is_removed: true } } as const;
    await events.record(
      userIds.map((userId) => ({ ...removed, userId })),
      transaction,
    );
  }

  /** Like `ApiKeys.revoke`, and also ends the key's webhooks and links. */
  async revokeKey({ id, userId }: { id: string; userId?: number }, now: Date, transaction: ClientSession) {
    const { key, isChanged } = await this.#stores.apiKeys.revoke(id, now, { userId, transaction });
    if (key) await this.endDependents([key], 'revoked', transaction);
    return { key, isChanged };
  }

  /** Like `ApiKeys.rotate`. With an overlap, the key's webhooks move to the new key; without one, they end. */
  async rotateKey(rotation: Rotation, now: Date, transaction: ClientSession) {
    const issued = await this.#stores.apiKeys.rotate(rotation, now, transaction);
    if (typeof issued === 'string') return issued;
    const old = { _id: rotation.id, userId: rotation.userId };
    if (rotation.overlapMs > 0) await this.#stores.webhooks.moveToSuccessor(old, issued.key._id, transaction);
    else await this.endDependents([old], 'rotated', transaction);
    return issued;
  }

  endGrants(
    ids: readonly string[],
    ending: EndReason,
    transaction?: ClientSession,
  ): Promise<OAuthGrantRecord[]> {
    return this.#stores.transaction(async (session) => {
      const grants = await this.#stores.oauthGrants.endMany(ids, session);
      await this.endDependents(grants, ending, session);
      return grants;
    }, transaction);
  }

  /** Turns off webhooks whose key has ended, because no write marks an expiry. Resolves to all webhooks, updated. */
  endExpired<One extends DestinationRecord>(destinations: readonly One[], now: Date): Promise<One[]> {
    return Promise.all(
      destinations.map(async (destination) => {
        const { userId, disabledReason } = destination;
        const ended = await this.#endedKeyOf(destination, now);
        if (!ended) return destination;
        const { _id, ending } = ended;
        await this.#stores.transaction((session) => this.endDependents([{ _id, userId }], ending, session));
        const off = { isActive: false, keyId: null, disabledReason: disabledReason ?? reasons[ending] };
        return { ...destination, ...off };
      }),
    );
  }

  async #endedKeyOf({ keyId, setByKeyId }: DestinationRecord, now: Date) {
    if (!keyId) return null;
    const ending = await this.#endingOf(keyId, now);
    if (ending || !setByKeyId || setByKeyId === keyId) return ending && { _id: keyId, ending };
    // The call that set the address may have finished after its key was reported as leaked.
    const isLeaked = (await this.#endingOf(setByKeyId, now)) === 'leaked';
    return isLeaked ? { _id: setByKeyId, ending: 'leaked' as const } : null;
  }

  async mayReceive(destination: DestinationRecord, now: Date): Promise<boolean> {
    // A mail destination has no owner. Each recipient's rights are read when the mail is written.
    if (destination.format === 'mail') return true;
    const owner = await this.#stores.users.find(destination.userId);
    if (!owner?.isActive || (destination.audience === 'host' && !owner.isAdmin)) return false;
    const [current] = await this.endExpired([destination], now);
    return current?.isActive ?? false;
  }

  /** Whether a key is valid, or was replaced with an overlap by a valid key. */
  async isLive(id: string, now: Date): Promise<boolean> {
    const ending = await this.#endingOf(id, now);
    const key = ending === 'expired' ? await this.#stores.apiKeys.find(id) : null;
    if (!key?.replacedBy) return ending === null;
    const successor = await this.#stores.apiKeys.find(key.replacedBy);
    const hadOverlap = successor && key.expiresAt && key.expiresAt > successor.createdAt;
    return hadOverlap ? this.isLive(successor._id, now) : false;
  }

  async #endingOf(id: string, now: Date): Promise<EndReason | null> {
    const key = await this.#stores.apiKeys.find(id);
    if (!key) return (await this.#stores.oauthGrants.find(id, now)) ? null : 'gone';
    if (key.revokedAt) return key.revokedReason ?? 'revoked';
    return key.expiresAt && key.expiresAt <= now ? 'expired' : null;
  }
}
