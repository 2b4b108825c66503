/**
 * Suspends, resumes or ends everything that a user can act with (keys, sessions, apps, links) in one transaction. Only this
 * file lists the stores of that kind.
 */
import type { ClientSession } from 'mongoose';
import type { Stores } from '../stores.ts';
import { hashPassword } from '../support/secrets.ts';
import { foldUser, type UserChanges, type UserRecord } from '../user.ts';

interface AccessChange {
  isActive: boolean;
  now: Date;
  transaction: ClientSession;
}

export class UserAccess {
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /**
   * Null when no user has the e-mail address. A user who gains a role loses the ways to sign in that someone else may have
   * set up: sessions, links, identities, and the password unless a new one is given. Passkeys then count only after the
   * password.
   * @throws when another user already has a unique value; `findTakenField` names the field
   */
  async change(email: string, { password, ...changes }: UserChanges, now: Date): Promise<UserRecord | null> {
    const { secondFactors, users, webhooks } = this.#stores;
    const set =
      password === undefined ? {} : { passwordHash: await hashPassword(password), passwordKeyId: null };
    return this.#stores.transaction(async (transaction) => {
      const before = await users.collection.findOne({ email }, { session: transaction });
      if (!before) return null;
      const isPromoted = gainsRole(before, changes);
      const ended = isPromoted ? { passwordHash: null, passwordKeyId: null, sessionsEndedAt: now } : {};
      const folded = foldUser({ ...before, ...changes });
      const user = await users.change(email, { ...ended, ...changes, ...set, folded }, transaction);
      if (!user) return null;
      if (isPromoted) {
        await this.#endSignIns(user._id, transaction);
        await secondFactors.requirePassword(user._id, transaction);
      }
      const about = { userId: user._id, at: now };
      const changed = { ...about, type: 'password.changed', data: {} } as const;
      const removed = { ...about, type: 'panel_user.removed', data: { former_email: email } } as const;
      const isLost = before.panelUserId !== null && user.panelUserId !== before.panelUserId;
      const events = [...(password === undefined ? [] : [changed]), ...(isLost ? [removed] : [])];
      await this.#stores.events.record(events, transaction);
      if (changes.isAdmin !== undefined)
        await webhooks.invalidateEarlierDeliveries([user._id], transaction, 'host');
      return user;
    });
  }

  /** Also ends all sessions, since one may come from a provider. Resolves to the number of unlinked identities. */
  unlinkIdentities(id: number): Promise<number> {
    const { identities, sessions } = this.#stores;
    return this.#stores.transaction(async (transaction) => {
      await sessions.endAll([id], transaction);
      return identities.deleteAll(id, transaction);
    });
  }

  /** Also ends all sessions. Resolves to the number of removed factors. */
  resetFactors(id: number, now: Date): Promise<number> {
    const { auditEntries, secondFactors, sessions, users, events } = this.#stores;
    return this.#stores.transaction(async (transaction) => {
      const removed = await secondFactors.removeAll(id, transaction);
      const ended = { $set: { sessionsEndedAt: now } };
      await users.collection.updateOne({ _id: id }, ended, { session: transaction });
      await sessions.endAll([id], transaction);
      await events.record([{ type: 'factors.reset', userId: id, at: now, data: {} }], transaction);
      const by = { userId: id, keyId: '', address: '', requestId: '', via: 'account' } as const;
      const call = { operation: 'factors.reset', target: null, status: 200, code: null };
      await auditEntries.store([{ at: now, ...by, ...call }], transaction);
      return removed;
    });
  }

  setActive(id: number, isActive: boolean, now: Date): Promise<UserRecord | null> {
    return this.#stores.transaction(async (transaction) => {
      const { users } = this.#stores;
      const user = await users.findInTransaction(id, transaction);
      if (!user || user.isActive === isActive) return user;
      const fields = { isActive, updatedAt: now, ...(!isActive && { sessionsEndedAt: now }) };
      await users.collection.updateOne({ _id: id }, { $set: fields }, { session: transaction });
      await this.setSuspended([id], { isActive, now, transaction });
      return { ...user, ...fields };
    });
  }

  /**
   * Deletes a user with everything that the user could act with; resolves to what has ended. Tickets and audit entries stay.
   * Keys are revoked and stay too, so that the audit can name them while it has entries for them.
   */
  async delete(id: number, now: Date, session: ClientSession) {
    const { apiKeys, oauthGrants, secondFactors, subscriptions, users, webhooks } = this.#stores;
    const deleted = await users.collection.findOneAndDelete({ _id: id }, { session });
    if (!deleted) return null;
    await apiKeys.lock([id], session);
    const keys = await apiKeys.revokeAll(id, now, session);
    await oauthGrants.endAll(id, session);
    await this.#endSignIns(id, session);
    await secondFactors.removeAll(id, session);
    await webhooks.deleteAll(id, session);
    return { email: deleted.email, keys, subscriptions: await subscriptions.deleteAll(id, session) };
  }

  /** After a change of address: mail to a user's former address gives no rights, even if the user gets that address again. */
  async endMailProofs(userIds: number[], transaction: ClientSession): Promise<void> {
    const { sessions, signInLinks } = this.#stores;
    await signInLinks.deleteMailed(userIds, transaction);
    await sessions.clearMailProof(userIds, transaction);
  }

  async #endSignIns(id: number, transaction: ClientSession): Promise<void> {
    const { identities, sessions, signInLinks } = this.#stores;
    await sessions.endAll([id], transaction);
    await signInLinks.deleteAll(id, transaction);
    await identities.deleteAll(id, transaction);
  }

  /** The suspension is stored with the users' keys and grants, so that verifying a key or a token reads no user. */
  async setSuspended(userIds: number[], { isActive, now, transaction }: AccessChange): Promise<void> {
    const { apiKeys, oauthGrants, sessions, signInLinks, webhooks } = this.#stores;
    await apiKeys.lock(userIds, transaction);
    await apiKeys.setSuspended(userIds, isActive ? null : now, transaction);
    await oauthGrants.setSuspended(userIds, isActive ? null : now, transaction);
    if (!isActive) {
      await sessions.endAll(userIds, transaction);
      await signInLinks.deleteMailed(userIds, transaction);
    }
    await webhooks.invalidateEarlierDeliveries(userIds, transaction);
  }
}

const gainsRole = (before: UserRecord, { isAdmin, isSupport }: UserChanges) =>
  (isAdmin && !before.isAdmin) || (isSupport && !before.isSupport) || false;
