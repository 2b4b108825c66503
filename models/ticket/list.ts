/**
 * Lists of tickets, of one user or of all. A filter is a set of exact index keys, so it does not scan. There are two
 * exceptions: searches of subjects, which read up to 100,000 keys of an index, and unassigned tickets.
 */
import type { Connection, mongo } from 'mongoose';
import { foundTicketsMax, listedTicketsMax, searchedTicketsMax } from '../bounds.ts';
import { filterByWords } from '../support/fold.ts';
import { matchAfter } from '../support/pages.ts';
import { findSingleBatch } from '../support/reads.ts';
import { detailFields, type TicketDetail } from './read.ts';
import {
  assigneeIndex,
  openStatuses,
  subjectIndex,
  summaryFields,
  type TicketAuthor,
  type TicketStatus,
  type TicketSummary,
  ticketStatuses,
} from './schema.ts';

const newestFirst = { _id: -1 } as const;

/** Resolves to one list per user, in the given order. A plain `find` is fastest for a single user. */
export async function listTicketsOfMany(
  connection: Connection,
  userIds: number[],
): Promise<TicketSummary[][]> {
  const [owner = 0, ...others] = new Set(userIds);
  if (others.length === 0) {
    const list = await findSingleBatch<TicketSummary>(connection, {
      find: 'tickets',
      filter: { userId: owner },
      projection: summaryFields,
      sort: newestFirst,
      limit: listedTicketsMax,
    });
    return userIds.map(() => list);
  }
  const lookup = {
    from: 'tickets',
    localField: 'owner',
    foreignField: 'userId',
    pipeline: [{ $sort: newestFirst }, { $limit: listedTicketsMax }, { $project: summaryFields }],
    as: 'tickets',
  };
  const found = await connection
    .getClient()
    .db(connection.name)
    .aggregate<{ owner: number; tickets: TicketSummary[] }>([
      { $documents: [owner, ...others].map((each) => ({ owner: each })) },
      { $lookup: lookup },
    ])
    .toArray();
  const listOf = new Map(found.map((each) => [each.owner, each.tickets]));
  return userIds.map((userId) => listOf.get(userId) ?? []);
}

export interface TicketFilter {
  userId?: number | undefined;
  status?: TicketStatus | undefined;
  /** Open tickets in which the other side wrote last. */
  awaiting?: TicketAuthor | undefined;
  before?: number | undefined;
  limit: number;
}

export interface StaffTicketFilter extends TicketFilter {
  /** `waiting`: the tickets that have waited longest for the awaited side (by default staff) first; otherwise newest first. */
  sort?: 'newest' | 'waiting' | undefined;
  userIds?: readonly number[] | undefined;
  /** Only tickets assigned to this staff member; null: only unassigned ones. */
  assigneeId?: number | null | undefined;
  words?: string | undefined;
  id?: number | undefined;
}

export type OwnTicketFilter = TicketFilter & { userId: number };

/** `awaiting: customer` also lists unread answers that closed their ticket. Two queries, because each uses its own index. */
export async function searchOwnTickets(
  connection: Connection,
  filter: OwnTicketFilter,
): Promise<TicketDetail[]> {
  const { userId, limit, status = 'Closed', awaiting, before } = filter;
  const find = (match: mongo.Document) =>
    findSingleBatch<TicketDetail>(connection, {
      find: 'tickets',
      filter: match,
      projection: detailFields,
      sort: newestFirst,
      limit,
    });
  if (awaiting !== 'customer' || status !== 'Closed') return find(toQuery(filter));
  const closed = { ...toQuery({ userId, before }), isUnread: true, status, isClosedByAnswer: true };
  // One after the other: if a ticket is closed in between, both queries may find it, and the later result counts.
  const found = [...(await find(toQuery(filter))), ...(await find(closed))];
  return [...new Map(found.map((ticket) => [ticket._id, ticket])).values()]
    .sort((one, other) => other._id - one._id)
    .slice(0, limit);
}

export async function searchTicketDetails(
  connection: Connection,
  { sort, userIds, assigneeId, words, id, ...filter }: StaffTicketFilter,
): Promise<TicketDetail[]> {
  const isQueue = sort === 'waiting';
  const isSelected = [userIds, assigneeId ?? undefined, words, id].some((value) => value !== undefined);
  const query = toQuery(isQueue ? { ...filter, awaiting: filter.awaiting ?? 'staff' } : filter);
  return findSingleBatch<TicketDetail>(connection, {
    find: 'tickets',
    filter: { $and: [query, ...(await matchesOf(connection, { userIds, assigneeId, words, id }))] },
    projection: detailFields,
    sort: isQueue ? { updatedAt: 1, _id: 1 } : newestFirst,
    limit: filter.limit,
    ...(!isQueue && !isSelected && { hint: newestIndex(filter) }),
    ...(assigneeId && { hint: assigneeIndex }),
  });
}

/** MongoDB chooses an index by trial, and would reuse it for a filter that matches fewer tickets and needs another index. */
function newestIndex({ userId, ...filter }: TicketFilter): mongo.Document {
  if (userId === undefined && !isFiltered(filter)) return { _id: 1 };
  return {
    ...(userId !== undefined && { userId: 1 }),
    ...(isFiltered(filter) && { status: 1, lastReplyBy: 1 }),
    _id: -1,
  };
}

const isFiltered = ({ status, awaiting }: Pick<TicketFilter, 'status' | 'awaiting'>) =>
  status !== undefined || awaiting !== undefined;

async function matchesOf(
  connection: Connection,
  { userIds, assigneeId, words, id }: Pick<StaffTicketFilter, 'userIds' | 'assigneeId' | 'words' | 'id'>,
) {
  return [
    ...(userIds ? [{ userId: { $in: userIds } }] : []),
    // Naming all statuses lets MongoDB read the tickets in the order of the index.
    ...(assigneeId === undefined ? [] : [{ assigneeId, status: { $in: [...ticketStatuses] } }]),
    ...(words === undefined ? [] : [{ _id: { $in: await findBySubject(connection, words) } }]),
    ...(id === undefined ? [] : [{ _id: id }]),
  ];
}

/** Reads the subjects from an index, because a ticket itself is much longer. */
async function findBySubject(connection: Connection, words: string): Promise<number[]> {
  const [newest] = await findSingleBatch<{ _id: number }>(connection, {
    find: 'tickets',
    filter: {},
    projection: { _id: 1 },
    sort: newestFirst,
    limit: 1,
  });
  const found = await findSingleBatch<{ _id: number }>(connection, {
    find: 'tickets',
    filter: {
      _id: { $gt: (newest?._id ?? 0) - searchedTicketsMax },
      ...filterByWords(words),
    },
    projection: { _id: 1 },
    sort: newestFirst,
    limit: foundTicketsMax,
    hint: subjectIndex,
  });
  return found.map(({ _id }) => _id);
}

function toQuery({ userId, status, awaiting, before }: Omit<TicketFilter, 'limit'>) {
  return {
    ...(userId !== undefined && { userId }),
    ...(isFiltered({ status, awaiting }) && {
      status: { $in: statusesOf(status, awaiting) },
      lastReplyBy: awaiting ? otherSide[awaiting] : { $in: ['customer', 'staff'] },
    }),
    ...(before !== undefined && matchAfter(newestFirst, { _id: before })),
  };
}

const otherSide = { customer: 'staff', staff: 'customer' } as const;

function statusesOf(status: TicketStatus | undefined, awaiting: TicketAuthor | undefined): TicketStatus[] {
  if (status === undefined) return openStatuses;
  return awaiting && !openStatuses.includes(status) ? [] : [status];
}
