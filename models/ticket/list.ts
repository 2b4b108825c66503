/** Lists a user's tickets; concurrent lists of several users are read in one call, each from the index. */
import type { Connection, mongo } from 'mongoose';
import { findSingleBatch } from '../support/find-single-batch.ts';
import type { TicketRecord } from './schema.ts';

/** A ticket without its messages. */
export type TicketSummary = Pick<TicketRecord, '_id' | 'subject' | 'status' | 'createdAt' | 'updatedAt'>;

/** A list without a query holds at most this many tickets. */
export const listedTicketsMax = 200;

export const summaryFields = { subject: 1, status: 1, createdAt: 1, updatedAt: 1 } as const;

/** Which of an owner's tickets. */
export interface Selection {
  /** Beside the owner. */
  match: mongo.Document;
  limit: number;
}

const allListed: Selection = { match: {}, limit: listedTicketsMax };

/** One list per user, in the same order. A single user takes the plain `find`, which is fastest for one. */
export async function listTicketsOfMany(
  connection: Connection,
  userIds: number[],
  selection = allListed,
): Promise<TicketSummary[][]> {
  const owners = [...new Set(userIds)];
  const [owner = 0, ...others] = owners;
  const lists =
    others.length > 0
      ? await listAll(connection, owners, selection)
      : [await listOne(connection, owner, selection)];
  const listOf = new Map(owners.map((userId, index) => [userId, lists[index] ?? []]));
  return userIds.map((userId) => listOf.get(userId) ?? []);
}

const listOne = (
  connection: Connection,
  userId: number,
  { match, limit }: Selection,
): Promise<TicketSummary[]> =>
  findSingleBatch(connection, {
    find: 'tickets',
    filter: { userId, ...match },
    projection: summaryFields,
    sort: { _id: -1 },
    limit,
  });

async function listAll(connection: Connection, owners: number[], { match, limit }: Selection) {
  const isMatched = Object.keys(match).length > 0;
  const newest = [
    ...(isMatched ? [{ $match: match }] : []),
    ...[{ $sort: { _id: -1 } }, { $limit: limit }, { $project: summaryFields }],
  ];
  const lookup = { from: 'tickets', localField: 'owner', foreignField: 'userId', pipeline: newest };
  const found = await connection
    .getClient()
    .db(connection.name)
    .aggregate<{ owner: number; tickets: TicketSummary[] }>([
      { $documents: owners.map((owner) => ({ owner })) },
      { $lookup: { ...lookup, as: 'tickets' } },
    ])
    .toArray();
  const listOf = new Map(found.map(({ owner, tickets }) => [owner, tickets]));
  return owners.map((owner) => listOf.get(owner) ?? []);
}
