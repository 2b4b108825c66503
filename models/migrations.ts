/** What brings the documents of one version of the schema to the next one's shape. A released migration is never edited. */
import type { Connection } from 'mongoose';

export interface Migration {
  version: number;
  /** What it changes, for operators. */
  name: string;
  /**
   * Changes documents of the old shape by driver calls, as the stores know today's shape only. Processes of the version before read
   * and write meanwhile; it may be killed at any point, run in two processes at once, and is run again for what they wrote.
   */
  up?(connection: Connection): Promise<void>;
}

/** Tickets whose events are still to be stored describe each write; before, a word stood for the opening. */
async function describeWrites(connection: Connection): Promise<void> {
  const state = { status: 'New', previousStatus: 'New', lastReplyBy: 'customer', messageCount: 1 };
  const opening = { ...state, id: 'opened', type: 'ticket.created', at: '$createdAt', isByStaff: false };
  const fact = { $cond: [{ $eq: ['$$this', 'ticket.created'] }, opening, '$$this'] };
  const before = { $map: { input: '$pending', in: fact } };
  const facts = { $concatArrays: [before, { $ifNull: ['$facts', []] }] };
  const update = [{ $set: { facts } }, { $unset: 'pending' }];
  await connection.collection('tickets').updateMany({ pending: { $exists: true } }, update);
}

const isSet = (field: string) => ({ $gt: [field, ''] });

/** Webhooks list the keys that they belong to, and name what made them; users say whether they are support. */
async function nameHolders(connection: Connection): Promise<void> {
  // The key that set the address of a webhook, or took it over, or made it; '' for the account page.
  const owner = { $ifNull: ['$heldBy', { $ifNull: ['$keyId', ''] }] };
  const holder = { $cond: [isSet('$urlKeyId'), '$urlKeyId', owner] };
  const successors = { $filter: { input: ['$holderKey.replacedBy'], cond: isSet('$$this') } };
  const keyIds = { $concatArrays: [{ $ifNull: ['$handedBy', []] }, ['$holder'], successors] };
  const goneKey = { $cond: [isSet('$keyId'), 'a key that no longer exists', null] };
  const madeBy = { $ifNull: ['$appName', { $ifNull: [{ $first: '$makers.name' }, goneKey] }] };
  const keyOf = (localField: string, as: string) => ({
    $lookup: { from: 'api_keys', localField, foreignField: '_id', as },
  });
  const webhooks = connection
    .collection('webhooks')
    .aggregate([
      { $match: { keyIds: { $exists: false } } },
      { $set: { holder } },
      keyOf('keyId', 'makers'),
      keyOf('holder', 'holders'),
      { $set: { holderKey: { $first: '$holders' } } },
      { $project: { madeBy, keyIds: { $cond: [isSet('$holder'), keyIds, []] } } },
      { $merge: { into: 'webhooks', whenNotMatched: 'discard' } },
    ]);
  await webhooks.toArray();
  const isUnsaid = { isSupport: { $exists: false } };
  await connection.collection('users').updateMany(isUnsaid, { $set: { isSupport: false } });
}

/** A webhook belongs to one key, and names the one that set its address: the last and the first of the list before. */
async function nameOneKey(connection: Connection): Promise<void> {
  const isList = { $isArray: '$keyIds' };
  // An empty list was the account page's; null: the keys have ended.
  const take = (end: '$first' | '$last') => ({
    $cond: [isList, { $ifNull: [{ [end]: '$keyIds' }, ''] }, null],
  });
  const update = [{ $set: { keyId: take('$last'), setByKeyId: take('$first'), keyIds: null } }];
  const isBefore = { $or: [{ keyIds: { $type: 'array' } }, { setByKeyId: { $exists: false } }] };
  await connection.collection('webhooks').updateMany(isBefore, update);
}

/** In order. Of the versions before the first release, only the last can be upgraded. */
export const migrations: readonly [Migration, ...Migration[]] = [
  { version: 10, name: 'The first shape' },
  { version: 11, name: 'Webhooks list the keys that they belong to', up: nameHolders },
  {
    version: 12,
    name: 'Tickets describe the writes whose events are still to be stored',
    up: describeWrites,
  },
  { version: 13, name: 'Webhooks belong to one key', up: nameOneKey },
];
