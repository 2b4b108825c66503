/**
 * All migrations in order. A released one is never edited; a later one corrects it.
 * The program reads both shapes before a migration writes the new one, and drops the old one a release later.
 */
import { type Connection, mongo } from 'mongoose';
import { retryOnDuplicateKey } from '../support/writes.ts';

export interface Migration {
  /** From 1, without gaps. */
  version: number;
  /** What it changes, for operators. */
  name: string;
  /**
   * Changes documents with driver calls, because the stores only know today's shape. It may be killed at any point and
   * run again, even in two processes at once if one stalled, while the previous release reads and writes: it selects
   * documents of the old shape and leaves each valid for both releases. Absent when no document changes.
   * @param onProgress takes a line for the operator, of what a person must know or decide
   */
  up?(connection: Connection, onProgress?: (line: string) => void): Promise<void>;
}

export interface AppliedMigration extends Pick<Migration, 'version' | 'name'> {
  at: Date;
}

/** The database cannot be migrated to this program's schema version; the message is for the operator. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** Schema version 2: tickets of earlier releases, in which only customers could write, get `lastReplyBy: 'customer'`. */
async function setLastReplyBy(connection: Connection): Promise<void> {
  const tickets = connection.collection('tickets');
  await tickets.updateMany({ lastReplyBy: { $exists: false } }, { $set: { lastReplyBy: 'customer' } });
}

/** Gives users of earlier versions the fields of provisioning: active, without an external id. */
export async function addProvisioning(connection: Connection): Promise<void> {
  const fields = { isActive: true, externalId: null, sessionsEndedAt: null, updatedAt: '$createdAt' };
  await connection.collection('users').updateMany({ isActive: null }, [{ $set: fields }]);
}

/** Counts what tickets hold. The whole ticket is written again, so that it happens once and not with the next reply. */
async function countMessages(connection: Connection): Promise<void> {
  const bytesOf = (message: string) => ({
    $cond: [{ $eq: [`${message}.author`, 'staff'] }, 0, { $strLenBytes: `${message}.text` }],
  });
  const counts = {
    messageCount: { $size: '$messages' },
    customerBytes: { $sum: { $map: { input: '$messages', in: bytesOf('$$this') } } },
    countedBytes: '$messageBytes',
  };
  await connection.collection('tickets').updateMany({ countedBytes: { $exists: false } }, [{ $set: counts }]);
}

const thirtyDaysMs = 30 * 24 * 60 * 60 * 1000;

const userId = '$userId';
const day = { $dateTrunc: { date: '$at', unit: 'day' } };
const ofSource = { userId, day, keyId: '$keyId', clientId: { $ifNull: ['$clientId', ''] } };
const ofDay = { userId, day, keyId: '', clientId: '' };

const idOfCount = {
  $concat: [
    { $toString: '$_id.userId' },
    ':',
    { $dateToString: { date: '$_id.day', format: '%Y-%m-%d' } },
    ':',
    '$_id.keyId',
    '$_id.clientId',
  ],
};

/** Counts the calls of the last 30 days by user, day and key or app, and by user and day, as each process counts its own. */
async function countActivity(connection: Connection): Promise<void> {
  const since = new Date(Date.now() - thirtyDaysMs);
  const calls = { at: { $gte: since }, $or: [{ keyId: { $ne: '' } }, { clientId: { $gt: '' } }] };
  const isError = { $cond: [{ $gte: ['$status', 400] }, 1, 0] };
  for (const _id of [ofSource, ofDay])
    await connection
      .collection('audit_entries')
      .aggregate(
        [
          { $match: calls },
          { $group: { _id, calls: { $sum: 1 }, failures: { $sum: isError } } },
          {
            $replaceWith: {
              $mergeObjects: ['$_id', { _id: idOfCount, calls: '$calls', failures: '$failures' }],
            },
          },
          { $merge: { into: 'activity_counts', whenMatched: 'keepExisting' } },
        ],
        { allowDiskUse: true },
      )
      .toArray();
}

const namespaceNotFound = 26;
const indexNotFound = 27;

/** Drops the index of the audit that earlier versions listed a user's entries by: each entry stored would still keep it. */
const dropAuditIndex = (connection: Connection): Promise<void> =>
  unlessGone(connection.collection('audit_entries').dropIndex('userId_1_at_-1'));

/** A new database has neither the collection nor the index. */
async function unlessGone(change: Promise<unknown> | undefined): Promise<void> {
  try {
    await change;
  } catch (failure) {
    const isGone = failure instanceof mongo.MongoServerError && isNotFound(failure.code);
    if (!isGone) throw failure;
  }
}

const isNotFound = (code: unknown) => code === namespaceNotFound || code === indexNotFound;

interface RotatedKey {
  _id: string;
  createdAt: Date;
  expiresAt: Date | null;
  replacedBy: string | null;
}

/** Gives webhooks to the keys that took the place of those that made them, which are removed 90 days after their end. */
async function handOnWebhooks(connection: Connection): Promise<void> {
  const keys = connection.collection<RotatedKey>('api_keys');
  const webhooks = connection.collection<{ keyId: string; urlKeyId?: string; heldBy?: string }>('webhooks');
  const present = async (id: string): Promise<string> => {
    const key = await keys.findOne({ _id: id });
    const successor = key?.replacedBy ? await keys.findOne({ _id: key.replacedBy }) : null;
    const hadOverlap = key?.expiresAt && successor && key.expiresAt > successor.createdAt;
    return hadOverlap ? present(successor._id) : id;
  };
  for await (const { _id, keyId, urlKeyId = '' } of webhooks.find({ heldBy: { $exists: false } })) {
    const fields = { heldBy: await present(keyId), urlKeyId: await present(urlKeyId) };
    const isHandedOn = fields.heldBy !== keyId || fields.urlKeyId !== urlKeyId;
    if (isHandedOn) await webhooks.updateOne({ _id }, { $set: fields });
  }
}

const ninetyDaysS = 90 * 24 * 60 * 60;

/** Turns the index of keys by expiry into one that ends them, and gives records a time from which they end. */
async function expireRecords(connection: Connection): Promise<void> {
  await handOnWebhooks(connection);
  const keys = connection.collection('api_keys');
  const index = { keyPattern: { expiresAt: 1 }, expireAfterSeconds: ninetyDaysS };
  await unlessGone(connection.db?.command({ collMod: 'api_keys', index }));
  // Before the one is dropped that the previous release lists an owner's keys by.
  await keys.createIndex({ userId: 1, revokedAt: 1, expiresAt: 1 });
  await unlessGone(keys.dropIndex('userId_1'));
  const timeOf = (field: string) => ({ $currentDate: { [field]: true as const } });
  const watches = connection.collection<{ _id: string; seenAt?: Date }>('server_watches');
  await watches.updateMany({ _id: /^server:/, seenAt: { $exists: false } }, timeOf('seenAt'));
  const quotas = connection.collection('key_rings');
  await quotas.updateMany({ changedAt: { $exists: false } }, timeOf('changedAt'));
}

const isStaff = { $or: [{ $eq: ['$isAdmin', true] }, { $eq: ['$isSupport', true] }] };

interface SharedPanelUser {
  /** The panel user. */
  _id: number;
  userIds: number[];
}

/**
 * Leaves a panel user that several users have to one of them: to staff, so that what a customer was given of theirs ends, and
 * else to who has been here longest.
 */
async function unlinkSharedPanelUsers(connection: Connection, onProgress?: (line: string) => void) {
  const users = connection.collection<{ _id: number; panelUserId: number | null }>('users');
  const shared = users.aggregate<SharedPanelUser>(
    [
      { $match: { panelUserId: { $gt: 0 } } },
      { $project: { panelUserId: 1, isStaff } },
      { $sort: { isStaff: -1, _id: 1 } },
      { $group: { _id: '$panelUserId', userIds: { $push: '$_id' } } },
      { $match: { 'userIds.1': { $exists: true } } },
    ],
    { allowDiskUse: true },
  );
  for await (const { _id: panelUserId, userIds } of shared) {
    const [kept, ...others] = userIds;
    await users.updateMany({ _id: { $in: others }, panelUserId }, { $set: { panelUserId: null } });
    onProgress?.(`Panel user ${panelUserId} stays with user ${kept}; taken from: ${others.join(', ')}`);
  }
}

/** With the index, as the previous release may give a panel user to a second user until there is one. */
async function makePanelUsersUnique(connection: Connection, onProgress?: (line: string) => void) {
  const options = { unique: true, partialFilterExpression: { panelUserId: { $gt: 0 } } };
  await retryOnDuplicateKey(async () => {
    await unlinkSharedPanelUsers(connection, onProgress);
    await connection.collection('users').createIndex({ panelUserId: 1 }, options);
  });
  for (const name of ['keyId_1', 'urlKeyId_1'])
    await unlessGone(connection.collection('webhooks').dropIndex(name));
}

/** What a user has only after a sign-in, or may have used to sign in. */
const tracesOfSignIns = ['sessions', 'identities', 'oauth_grants', 'api_keys'];

/**
 * Sets the first sign-in of existing users: when their oldest session, identity, grant or key was created. Users with a password
 * count as signed in, so that they get no invitation.
 */
async function noteSignIns(connection: Connection): Promise<void> {
  const users = connection.collection('users');
  for (const name of tracesOfSignIns) {
    const $group = { _id: '$userId', firstSignInAt: { $min: '$createdAt' } };
    const whenMatched = [{ $set: { firstSignInAt: { $ifNull: ['$firstSignInAt', '$$new.firstSignInAt'] } } }];
    const $merge = { into: 'users', whenMatched, whenNotMatched: 'discard' } as const;
    await connection.collection(name).aggregate([{ $group }, { $merge }]).toArray();
  }
  const isOld = { firstSignInAt: { $exists: false } };
  const createdAt = [{ $set: { firstSignInAt: '$createdAt' } }];
  await users.updateMany({ ...isOld, passwordHash: { $type: 'string' } }, createdAt);
  await users.updateMany(isOld, { $set: { firstSignInAt: null } });
}

/** The previous release finds the few webhooks without it, too. */
async function dropWebhookIndex(connection: Connection) {
  await unlessGone(connection.collection('webhooks').dropIndex('wakeAt_1'));
}

export const migrations: readonly Migration[] = [
  { version: 1, name: 'The first shape' },
  { version: 2, name: 'Tickets know who replied last', up: setLastReplyBy },
  { version: 3, name: 'Users can be provisioned and suspended', up: addProvisioning },
  { version: 4, name: 'Calls are counted by day and key', up: countActivity },
  { version: 5, name: 'The audit has no index that is not used', up: dropAuditIndex },
  { version: 6, name: 'Tickets know how many messages they have', up: countMessages },
  { version: 7, name: 'Ended keys and unused records are removed', up: expireRecords },
  { version: 8, name: 'A panel user belongs to one user', up: makePanelUsersUnique },
  { version: 9, name: 'Webhooks have no index that is not used', up: dropWebhookIndex },
  { version: 10, name: 'Users know when they first signed in', up: noteSignIns },
];
