/** Migrations: each brings documents from one schema version to the next. A released migration is never edited. */
import type { Connection, mongo } from 'mongoose';
import { fold } from './support/fold.ts';

export interface Migration {
  version: number;
  /** Shown to operators. */
  name: string;
  /**
   * Uses driver calls, because the stores know only today's shape. Processes of the previous version still read and write
   * meanwhile, so the migration runs again for what they wrote. It may be killed at any point, and two processes may run
   * it at once.
   */
  up?(connection: Connection): Promise<void>;
}

/** Tickets get a fact for each write whose events are not stored yet. Before, `ticket.created` stood for the opening. */
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

/** Webhooks get a list of the keys that they belong to, and the name of their maker. Users get `isSupport`. */
async function nameHolders(connection: Connection): Promise<void> {
  // The key that set the webhook's address, else the key that took it over, else the one that made it; '': the account page.
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

/** In a webhook's old list of keys, the last is the key that it belongs to, and the first is the key that set its address. */
async function nameOneKey(connection: Connection): Promise<void> {
  const isList = { $isArray: '$keyIds' };
  // An empty list meant the account page; null meant that the keys had ended.
  const take = (end: '$first' | '$last') => ({
    $cond: [isList, { $ifNull: [{ [end]: '$keyIds' }, ''] }, null],
  });
  const update = [{ $set: { keyId: take('$last'), setByKeyId: take('$first'), keyIds: null } }];
  const isBefore = { $or: [{ keyIds: { $type: 'array' } }, { setByKeyId: { $exists: false } }] };
  await connection.collection('webhooks').updateMany(isBefore, update);
}

/** Tickets and users get the folded text that searches read. Only the newest tickets are searched. */
async function storeFolded(connection: Connection): Promise<void> {
  const tickets = connection.collection<Folded>('tickets');
  const newest = await tickets.findOne({}, { sort: { _id: -1 }, projection: { _id: 1 } });
  const isSearched = { _id: { $gt: (newest?._id ?? 0) - 100_000 } };
  const filter = { ...isSearched, folded: { $exists: false } };
  await foldFields(tickets, { filter, fields: ['subject'] });
  // Processes of the previous version change names without updating the folded text.
  const fields = ['email', 'externalId', 'firstName', 'lastName', 'nickname'];
  await foldFields(connection.collection<Folded>('users'), { filter: {}, fields });
}

interface Folded {
  _id: number;
  folded?: string;
  [field: string]: unknown;
}

const foldedTogether = 1000;

async function foldFields(
  collection: mongo.Collection<Folded>,
  { filter, fields }: { filter: mongo.Filter<Folded>; fields: readonly string[] },
): Promise<void> {
  const projection = Object.fromEntries(['folded', ...fields].map((field) => [field, 1]));
  const cursor = collection.find(filter, { projection, batchSize: foldedTogether });
  while (await cursor.hasNext()) {
    const updates = cursor.readBufferedDocuments().flatMap(({ _id, folded: before, ...stored }) => {
      const texts = fields.map((field) => stored[field] ?? null);
      const folded = fold(texts.join('\n'));
      if (folded === before) return [];
      // Another process may have changed a field and stored its folded text.
      const unchanged = Object.fromEntries(fields.map((field, index) => [field, texts[index]]));
      return [{ updateOne: { filter: { _id, ...unchanged }, update: { $set: { folded } } } }];
    });
    if (updates.length > 0) await collection.bulkWrite(updates, { ordered: false });
  }
}

/** In order. Only the last of the versions before the first release can be upgraded. */
export const migrations: readonly [Migration, ...Migration[]] = [
  { version: 10, name: 'The first shape' },
  { version: 11, name: 'Webhooks list the keys that they belong to', up: nameHolders },
  {
    version: 12,
    name: 'Tickets describe the writes whose events are still to be stored',
    up: describeWrites,
  },
  { version: 13, name: 'Webhooks belong to one key', up: nameOneKey },
  { version: 14, name: 'Tickets and users store what searches look for', up: storeFolded },
];
