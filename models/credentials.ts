/** What keys and connections of apps made: it ends with them, whatever ends them, or goes to the key that takes their place. */
import type { ClientSession, Connection, mongo } from 'mongoose';
import type { ApiKeyQuota, RecordKey, Rotation } from './api-key/quota.ts';
import type { ApiKeyRecord, ApiKeys } from './api-key/store.ts';
import { handedByMax } from './bounds.ts';
import type { OAuthGrantRecord, OAuthGrants } from './oauth/grants.ts';
import type { Sessions } from './session.ts';
import type { SignInLinks } from './sign-in-link.ts';
import type { Users } from './user.ts';
import type { Webhooks } from './webhook/destinations.ts';
import { audiences, type DestinationRecord } from './webhook/schema.ts';

/** Why a webhook is off, as its owner reads it. */
const reasons = {
  leaked: 'The key or app that made it was revoked as leaked',
  revoked: 'The key that made it, or set its address, was revoked',
  rotated: 'The key that made it, or set its address, was rotated without overlap',
  expired: 'The key that made it, or set its address, has expired',
  disconnected: 'The app that made it was disconnected',
  replayed: 'The app that made it was disconnected: a code or token of it was used twice',
  ended: 'The app that made it ended its connection',
  gone: 'The key or app connection that made it has ended',
};

type Ending = keyof typeof reasons;

const endedReasons: ReadonlySet<string> = new Set(Object.values(reasons));

/** A key, or an app's grant. */
type Credential = Pick<ApiKeyRecord | OAuthGrantRecord, '_id' | 'userId'>;

interface CredentialsDeps {
  apiKeys: ApiKeys;
  apiKeyQuota: ApiKeyQuota;
  oauthGrants: OAuthGrants;
  sessions: Sessions;
  signInLinks: SignInLinks;
  users: Users;
  webhooks: Webhooks;
}

export class Credentials {
  readonly #connection: Connection;
  readonly #destinations: mongo.Collection<DestinationRecord>;
  readonly #deps: CredentialsDeps;

  constructor(connection: Connection, deps: CredentialsDeps) {
    this.#connection = connection;
    this.#destinations = connection.collection<DestinationRecord>('webhooks');
    this.#deps = deps;
  }

  /** Ends links that these created, and sessions that links of leaked ones opened, in the transaction that ends them. */
  async endLinks(ended: readonly Credential[], ending: Ending, transaction: ClientSession): Promise<void> {
    const ids = ended.map(({ _id }) => _id);
    await this.#deps.signInLinks.deleteMadeBy(ids, transaction);
    if (ending === 'leaked') await this.#deps.sessions.endMadeBy(ids, transaction);
  }

  /**
   * Turns off webhooks that these made, and of leaked ones those that they handed on. After they have ended: their owner's
   * other keys may be changing webhooks all the time, and nothing that is changed must delay an end. Where this fails,
   * `settle` does it.
   */
  async endWebhooks(ended: readonly Credential[], ending: Ending): Promise<void> {
    const ids = ended.map(({ _id }) => _id);
    const isMade = (destination: DestinationRecord) =>
      [...holdersOf(destination), ...((ending === 'leaked' && destination.handedBy) || [])].some((id) =>
        ids.includes(id),
      );
    for (const userId of new Set(ended.map((credential) => credential.userId)))
      for (const audience of audiences)
        await this.#deps.webhooks.turnOff({ userId, audience }, isMade, reasons[ending]);
  }

  /**
   * Revokes a key; null when there is none, or none of this user. Revoking again keeps the first time.
   * @param record what is stored with the end of the key
   */
  async revokeKey(
    { id, userId }: { id: string; userId?: number },
    now: Date,
    record?: RecordKey,
  ): Promise<ApiKeyRecord | null> {
    const revoked = await this.#connection.transaction(async (transaction) => {
      const { key, isChanged } = await this.#deps.apiKeys.revoke(id, now, { userId, transaction });
      if (key) await this.endLinks([key], 'revoked', transaction);
      if (key && isChanged) await record?.(key, transaction);
      return key;
    });
    if (revoked) await this.endWebhooks([revoked], 'revoked');
    return revoked;
  }

  /** Replaces a key as `ApiKeyQuota.rotate` does; with an overlap, what the old key made is the new one's. */
  async rotateKey(rotation: Rotation, now: Date, record?: RecordKey) {
    const old = { _id: rotation.id, userId: rotation.userId };
    const hasOverlap = rotation.overlapMs > 0;
    const rotated = await this.#deps.apiKeyQuota.rotate(rotation, now, async (by, transaction) => {
      if (!hasOverlap) await this.endLinks([old], 'rotated', transaction);
      await record?.(by, transaction);
    });
    if (typeof rotated === 'string') return rotated;
    const handing = hasOverlap ? this.#handOn(old, rotated.key) : this.endWebhooks([old], 'rotated');
    await handing.catch(() => {}); // the new key's secret is shown whatever comes of it, and `settle` does the same
    return rotated;
  }

  /** Ends connections of apps; resolves to those there were. */
  async endGrants(ids: readonly string[], ending: Ending): Promise<OAuthGrantRecord[]> {
    const ended = await this.#connection.transaction(async (session) => {
      const grants = await this.#deps.oauthGrants.endMany(ids, { session });
      await this.endLinks(grants, ending, session);
      return grants;
    });
    await this.endWebhooks(ended, ending);
    return ended;
  }

  /** Turns off those of these webhooks that outlived what made them; resolves to all as they are then. */
  settle<One extends DestinationRecord>(destinations: readonly One[], now: Date): Promise<One[]> {
    return Promise.all(
      destinations.map(async (destination) => {
        const ending = destination.isActive && (await this.#endingOfAny(holdersOf(destination), now));
        if (!ending) return destination;
        const disabledReason = reasons[ending];
        await this.#deps.webhooks.disable(destination._id, disabledReason);
        return { ...destination, isActive: false, disabledReason };
      }),
    );
  }

  /** Whether a destination may have events now: its owner, and what made it. One that outlived that is turned off. */
  async mayReceive(destination: DestinationRecord, now: Date): Promise<boolean> {
    // Of mail, each recipient's rights are read when it is written.
    if (destination.format === 'mail') return true;
    const owner = await this.#deps.users.find(destination.userId);
    if (!owner?.isActive || (destination.audience === 'host' && !owner.isAdmin)) return false;
    const [settled] = await this.settle([destination], now);
    return settled?.isActive ?? false;
  }

  async #endingOfAny(ids: readonly string[], now: Date): Promise<Ending | null> {
    const handOn = (old: ApiKeyRecord, by: ApiKeyRecord) => this.#handOn(old, by);
    const endings = await Promise.all(ids.map((id) => this.#endingOf(id, now, handOn)));
    return endings.find((ending) => ending !== null) ?? null;
  }

  /** Whether a key counts, or the one that took its place. */
  async isLive(id: string, now: Date): Promise<boolean> {
    return (await this.#endingOf(id, now)) === null;
  }

  /**
   * What a webhook ends with when this key, or the account page, turns it on again: with this key in place of what has
   * ended. One that an end has turned off is no longer of those who made it or handed it on.
   */
  async holdersOfRevived(destination: DestinationRecord, keyId: string, now: Date) {
    const { heldBy = destination.keyId, urlKeyId = '', disabledReason } = destination;
    if (disabledReason !== null && endedReasons.has(disabledReason))
      return { heldBy: keyId, urlKeyId: keyId, handedBy: [] };
    const renew = async (id: string) => (id === '' || (await this.isLive(id, now)) ? id : keyId);
    return { heldBy: await renew(heldBy), urlKeyId: await renew(urlKeyId) };
  }

  /**
   * Null for what counts. What a key made within the overlap of its rotation is the new key's after that.
   * @param onReplaced called for each key on the way to the present one
   */
  async #endingOf(id: string, now: Date, onReplaced?: OnReplaced): Promise<Ending | null> {
    const { apiKeys, oauthGrants } = this.#deps;
    const key = await apiKeys.find(id);
    if (!key) return (await oauthGrants.find(id, now)) ? null : 'gone';
    const ending = endingOfKey(key, now);
    if (ending !== 'expired' || !key.replacedBy) return ending;
    const successor = await apiKeys.find(key.replacedBy);
    if (!successor || !hadOverlap(key, successor)) return 'rotated';
    await onReplaced?.(key, successor);
    return this.#endingOf(successor._id, now, onReplaced);
  }

  async #handOn({ _id: from, userId }: Credential, { _id: to }: Credential) {
    const holder = { $ifNull: ['$heldBy', '$keyId'] };
    const replaced = (id: string | object) => ({ $cond: [{ $eq: [id, from] }, to, id] });
    const earlier = { $ifNull: ['$handedBy', []] };
    const fields = {
      heldBy: replaced(holder),
      urlKeyId: replaced('$urlKeyId'),
      handedBy: { $slice: [{ $concatArrays: [earlier, [from]] }, -handedByMax] },
    };
    const held = { userId, $expr: { $in: [from, [holder, '$urlKeyId']] } };
    await this.#destinations.updateMany(held, [{ $set: fields }]);
  }
}

type OnReplaced = (old: ApiKeyRecord, by: ApiKeyRecord) => Promise<void>;

function endingOfKey({ revokedAt, revokedReason, expiresAt }: ApiKeyRecord, now: Date): Ending | null {
  if (revokedAt) return revokedReason ?? 'revoked';
  return expiresAt && expiresAt <= now ? 'expired' : null;
}

const hadOverlap = ({ expiresAt }: ApiKeyRecord, { createdAt }: ApiKeyRecord) =>
  expiresAt !== null && expiresAt > createdAt;

/** With what a webhook ends; nothing for what the account page made. */
const holdersOf = ({ keyId, heldBy = keyId, urlKeyId = '' }: DestinationRecord) =>
  [heldBy, urlKeyId].filter((id) => id !== '');
