/** Works out what a batch of provisioned users changes: which users are created, which change, whose address is taken. */
import type { NewEvent } from '../outbox/events.ts';
import { foldUser, newUser, type UserRecord } from '../user.ts';

/** Undefined fields keep their value; a new user has null for them and is active. */
export interface ProvisionedUser {
  /** Null: `id` names an existing user. */
  externalId: string | null;
  id?: number;
  /** Required for a new user. */
  email?: string | undefined;
  firstName?: string | null | undefined;
  lastName?: string | null | undefined;
  nickname?: string | null | undefined;
  chatId?: string | null | undefined;
  chatUsername?: string | null | undefined;
  chatAvatarUrl?: string | null | undefined;
  panelUserId?: number | null | undefined;
  isActive?: boolean | undefined;
}

/** A user of the panel who is not an administrator there. */
export interface PanelCustomer {
  panelUserId: number;
  email: string;
  externalId: string | null;
  firstName: string | null;
  lastName: string | null;
  nickname: string | null;
}

/** `known`: a user already has this panel user. */
export type AdoptResult =
  | { state: 'created'; user: UserRecord }
  | { state: 'known' | 'email_taken' | 'external_id_taken' };

export type PutResult =
  | { state: 'created' | 'changed' | 'unchanged'; user: UserRecord }
  | { state: PutRefusal };

type PutRefusal = 'email_taken' | 'panel_user_taken' | 'email_missing' | 'missing' | 'staff';

export interface PutOptions {
  now: Date;
  refusesStaffChanges: boolean;
  keyId?: string | null;
  /** The earlier values of users whose address or panel user was freed for another, by id. */
  freed?: ReadonlyMap<number, UniqueFields>;
}

export type UniqueFields = Pick<UserRecord, 'email' | 'panelUserId'>;

export interface Change {
  id: number;
  fields: Partial<UserRecord>;
  before: UniqueFields;
}

/** A changed address is reported to both addresses; a removed panel user is reported to its former user. */
export const eventsOf = (changes: readonly Change[], { now: at, freed }: PutOptions): NewEvent[] =>
  changes.flatMap(({ id: userId, fields, ...change }) => {
    const before = freed?.get(userId) ?? change.before;
    const isChanged = (field: keyof UniqueFields) => ![undefined, before[field]].includes(fields[field]);
    const formerEmails = isChanged('email') ? [before.email, null] : [];
    const changed = formerEmails.map((former_email) => ({
      type: 'email.changed' as const,
      data: { former_email },
    }));
    const isLost = before.panelUserId !== null && isChanged('panelUserId');
    const removed = { type: 'panel_user.removed' as const, data: { former_email: before.email } };
    return [...changed, ...(isLost ? [removed] : [])].map((event) => ({ ...event, userId, at }));
  });

/** The stored users that a batch concerns, updated in memory with each of its entries. */
export class StoredUsers {
  readonly changes: Change[] = [];
  readonly #byId = new Map<number | undefined, UserRecord>();
  readonly #byExternalId = new Map<string, UserRecord>();
  readonly #byEmail = new Map<string, UserRecord>();
  readonly #byPanelUserId = new Map<number, UserRecord>();

  constructor(users: readonly UserRecord[]) {
    for (const user of users) this.#add(user);
  }

  put({ externalId, id, ...wanted }: ProvisionedUser, rules: PutOptions): PutResult {
    const { email } = wanted;
    const current = externalId === null ? this.#byId.get(id) : this.#byExternalId.get(externalId);
    if (!current && externalId === null) return { state: 'missing' };
    const taken = this.#takenBy(wanted, current);
    if (taken) return { state: taken };
    const given: [string, unknown][] = Object.entries(wanted).filter(([, value]) => value !== undefined);
    if (!current) {
      if (email === undefined) return { state: 'email_missing' };
      const { now, keyId } = rules;
      const made = { createdAt: now, updatedAt: now, ...(keyId && { emailChangedBy: { keyId, at: now } }) };
      const user = { ...newUser, email, ...Object.fromEntries(given), externalId };
      return { state: 'created', user: this.#add({ ...user, folded: foldUser(user), _id: 0, ...made }) };
    }
    const stored = new Map<string, unknown>(Object.entries(current));
    // From now on the host has set the panel user, even if the value is the same.
    if (wanted.panelUserId !== undefined && current.panelUserFoundBy) given.push(['panelUserFoundBy', null]);
    const changed = Object.fromEntries(given.filter(([field, value]) => stored.get(field) !== value));
    if (Object.keys(changed).length === 0) return { state: 'unchanged', user: current };
    const isKept = rules.refusesStaffChanges && (current.isAdmin || current.isSupport);
    if (isKept) return { state: 'staff' };
    return this.#change(current, changed, rules);
  }

  adopt(wanted: PanelCustomer, now: Date): AdoptResult {
    const { panelUserId, email, externalId } = wanted;
    if (this.#byPanelUserId.has(panelUserId)) return { state: 'known' };
    if (this.#byEmail.has(email)) return { state: 'email_taken' };
    if (externalId !== null && this.#byExternalId.has(externalId)) return { state: 'external_id_taken' };
    const folded = foldUser(wanted);
    const user = { ...newUser, ...wanted, folded, _id: 0, createdAt: now, updatedAt: now };
    return { state: 'created', user: this.#add(user) };
  }

  #takenBy(
    { email = '', panelUserId }: Pick<ProvisionedUser, 'email' | 'panelUserId'>,
    current: UserRecord | undefined,
  ) {
    const isAnothers = (holder: UserRecord | undefined) => holder && holder !== current;
    if (isAnothers(this.#byEmail.get(email))) return 'email_taken';
    return isAnothers(this.#byPanelUserId.get(panelUserId ?? 0)) ? 'panel_user_taken' : null;
  }

  #change(current: UserRecord, changed: Partial<UserRecord>, { now, keyId }: PutOptions): PutResult {
    const ended = changed.isActive === false ? { sessionsEndedAt: now } : {};
    const isByKey = keyId && (changed.email !== undefined || changed.panelUserId);
    const by = isByKey ? { keyId, at: now } : null;
    const noted = (by || changed.email !== undefined) && { emailChangedBy: by };
    const folded = foldUser({ ...current, ...changed });
    const fields = { ...changed, folded, ...ended, ...noted, updatedAt: now };
    this.changes.push({ id: current._id, fields, before: current });
    this.#byEmail.delete(current.email);
    this.#byPanelUserId.delete(current.panelUserId ?? 0);
    return { state: 'changed', user: this.#add({ ...current, ...fields }) };
  }

  #add(user: UserRecord): UserRecord {
    if (user._id > 0) this.#byId.set(user._id, user);
    if (user.externalId !== null) this.#byExternalId.set(user.externalId, user);
    this.#byEmail.set(user.email, user);
    if (user.panelUserId !== null) this.#byPanelUserId.set(user.panelUserId, user);
    return user;
  }
}
