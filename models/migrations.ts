/** What brings the documents of one version of the schema to the next one's shape. A released migration is never edited. */
import type { Connection } from 'mongoose';

export interface Migration {
  version: number;
  /** What it changes, for operators. */
  name: string;
  /**
   * Changes documents by driver calls, as the stores know today's shape only. The version before reads and writes meanwhile; and it
   * may be killed at any point and run again, or run in two processes at once.
   */
  up?(connection: Connection): Promise<void>;
}

/** The key that set the address of a webhook, or took it over, or made it; '' for the account page. */
const holder = { $ifNull: ['$urlKeyId', '$heldBy', '$keyId', ''] };

/** Tickets whose events are still to be stored describe each write; before, a word stood for the opening. */
async function describeWrites(connection: Connection): Promise<void> {
  const state = { status: 'New', previousStatus: 'New', lastReplyBy: 'customer', messageCount: 1 };
  const opening = { ...state, id: 'opened', type: 'ticket.created', at: '$createdAt', isByStaff: false };
  const fact = { $cond: [{ $eq: ['$$this', 'ticket.created'] }, opening, '$$this'] };
  const facts = { $map: { input: '$pending', in: fact } };
  const update = [{ $set: { facts } }, { $unset: 'pending' }];
  await connection.collection('tickets').updateMany({ pending: { $exists: true } }, update);
}

/** Webhooks list the keys that they belong to, and name what made them; users say whether they are support. */
async function nameHolders(connection: Connection): Promise<void> {
  const madeBy = { $ifNull: ['$appName', { $first: '$makers.name' }, null] };
  const keyIds = { $concatArrays: [{ $ifNull: ['$handedBy', []] }, [holder]] };
  const webhooks = connection
    .collection('webhooks')
    .aggregate([
      { $match: { keyIds: { $exists: false } } },
      { $lookup: { from: 'api_keys', localField: 'keyId', foreignField: '_id', as: 'makers' } },
      { $project: { madeBy, keyIds: { $cond: [{ $eq: [holder, ''] }, [], keyIds] } } },
      { $merge: { into: 'webhooks', whenNotMatched: 'discard' } },
    ]);
  await webhooks.toArray();
  const isUnsaid = { isSupport: { $exists: false } };
  await connection.collection('users').updateMany(isUnsaid, { $set: { isSupport: false } });
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
];
