/** Lists of tickets: those that several owners ask for at one moment are read together, each owner's newest by the index. */
import type { Connection } from 'mongoose';
import { readAtOnce } from './read-at-once.ts';
import type { TicketRecord } from './ticket-schema.ts';

/** A ticket without its conversation, as lists show it. */
export type TicketSummary = Pick<TicketRecord, '_id' | 'subject' | 'status' | 'createdAt' | 'updatedAt'>;

/** A list shows at most this many tickets, the newest. */
export const listedTicketsMax = 200;

export const summaryFields = { subject: 1, status: 1, createdAt: 1, updatedAt: 1 } as const;

/** The list of each user, in their order; a single one is read the plain way, which is the quickest for one. */
export async function listTogether(connection: Connection, userIds: number[]): Promise<TicketSummary[][]> {
  const owners = [...new Set(userIds)];
  const [owner = 0, ...others] = owners;
  const lists = others.length > 0 ? await listAll(connection, owners) : [await listOne(connection, owner)];
  const listOf = new Map(owners.map((userId, index) => [userId, lists[index] ?? []]));
  return userIds.map((userId) => listOf.get(userId) ?? []);
}

const listOne = (connection: Connection, userId: number): Promise<TicketSummary[]> =>
  readAtOnce(connection, {
    find: 'tickets',
    filter: { userId },
    projection: summaryFields,
    sort: { _id: -1 },
    limit: listedTicketsMax,
  });

/** In the order of the owners. */
async function listAll(connection: Connection, owners: number[]): Promise<TicketSummary[][]> {
  const newest = [{ $sort: { _id: -1 } }, { $limit: listedTicketsMax }, { $project: summaryFields }];
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
