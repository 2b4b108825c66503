/**
 * Lists of tickets, of one user or of all. Each filter is a set of exact index keys, so none scans, except for a search of
 * subjects, which reads up to 100,000 keys of an index, and for tickets that nobody works on. Concurrent lists of several users are read in one call.
 */
import type { Connection, mongo } from 'mongoose';
import { foundTicketsMax, listedTicketsMax, searchedTicketsMax } from '../bounds.ts';
import { patternsOf } from '../support/fold.ts';
import { after } from '../support/pages.ts';
import { findSingleBatch, groupBy } from '../support/reads.ts';
import { detailFields, type TicketDetail } from './read.ts';
import {
  assigneeIndex,
  openStatuses,
  subjectIndex,
  summaryFields,
  type TicketAuthor,
  type TicketStatus,
  type TicketSummary,
  ticketAuthors,
  ticketStatuses,
} from './schema.ts';

/** Which of an owner's tickets. */
interface Selection {
  /** Beside the owner. */
  match: mongo.Document;
  limit: number;
  projection: Readonly<Record<string, 1 | mongo.Document>>;
}

/** One list per user, in the same order, without a query. */
export const listTicketsOfMany = (connection: Connection, userIds: number[]) =>
  listSelected<TicketSummary>(connection, userIds, {
    match: {},
    limit: listedTicketsMax,
    projection: summaryFields,
  });

/** A single user takes the plain `find`, which is fastest for one. */
async function listSelected<Listed>(
  connection: Connection,
  userIds: number[],
  selection: Selection,
): Promise<Listed[][]> {
  const owners = [...new Set(userIds)];
  const [owner = 0, ...others] = owners;
  const lists =
    others.length > 0
      ? await listAll<Listed>(connection, owners, selection)
      : [await listOne<Listed>(connection, owner, selection)];
  const listOf = new Map(owners.map((userId, index) => [userId, lists[index] ?? []]));
  return userIds.map((userId) => listOf.get(userId) ?? []);
}

const newestFirst = { _id: -1 } as const;

const listOne = <Listed>(
  connection: Connection,
  userId: number,
  { match, ...selection }: Selection,
): Promise<Listed[]> =>
  findSingleBatch(connection, {
    find: 'tickets',
    filter: { userId, ...match },
    sort: newestFirst,
    ...selection,
  });

async function listAll<Listed>(
  connection: Connection,
  owners: number[],
  { match, limit, projection }: Selection,
): Promise<Listed[][]> {
  const isMatched = Object.keys(match).length > 0;
  const pipeline = [
    ...(isMatched ? [{ $match: match }] : []),
    ...[{ $sort: newestFirst }, { $limit: limit }, { $project: projection }],
  ];
  const lookup = { from: 'tickets', localField: 'owner', foreignField: 'userId', pipeline };
  const found = await connection
    .getClient()
    .db(connection.name)
    .aggregate<{ owner: number; tickets: Listed[] }>([
      { $documents: owners.map((owner) => ({ owner })) },
      { $lookup: { ...lookup, as: 'tickets' } },
    ])
    .toArray();
  const listOf = new Map(found.map(({ owner, tickets }) => [owner, tickets]));
  return owners.map((owner) => listOf.get(owner) ?? []);
}

export interface TicketFilter {
  /** The owner. */
  userId?: number | undefined;
  status?: TicketStatus | undefined;
  /** Open tickets in which the other side wrote last. */
  awaiting?: TicketAuthor | undefined;
  /** Only tickets with a lower id. */
  before?: number | undefined;
  limit: number;
}

/** Of all users' tickets. */
export interface StaffTicketFilter extends TicketFilter {
  /** Newest first; or waiting: those first that have waited longest for the awaited side, by default the staff. */
  sort?: 'newest' | 'waiting' | undefined;
  /** Only tickets of these users. */
  userIds?: readonly number[] | undefined;
  /** Only tickets that this member of the staff works on; null: that nobody works on. */
  assigneeId?: number | null | undefined;
  /** Only tickets whose subject has all words of this, folded. */
  words?: string | undefined;
  /** Only the ticket with this id. */
  id?: number | undefined;
}

export type OwnTicketFilter = TicketFilter & { userId: number };

/**
 * One list per filter, newest first, with facts about each conversation. What waits for the customer is also what the staff
 * answered and closed at once and the customer has not read: a search of its own, as each has its index.
 */
export async function searchTicketsOfMany(
  connection: Connection,
  filters: OwnTicketFilter[],
): Promise<TicketDetail[][]> {
  const searches = filters.map(({ userId, limit, ...filter }) => ({ userId, limit, match: toQuery(filter) }));
  const unread = filters.map(({ userId, limit, status = 'Closed', awaiting, before }) => {
    if (awaiting !== 'customer' || status !== 'Closed') return null;
    return {
      userId,
      limit,
      match: { ...toQuery({ before }), isUnread: true, status, isClosedByAnswer: true },
    };
  });
  const found = await searchTogether(connection, [
    ...searches,
    ...unread.filter((search) => search !== null),
  ]);
  const closed = found.slice(filters.length).values();
  return filters.map(({ limit }, index) => {
    const list = found[index] ?? [];
    if (!unread[index]) return list;
    return [...list, ...(closed.next().value ?? [])]
      .sort((one, other) => other._id - one._id)
      .slice(0, limit);
  });
}

interface OwnSearch {
  userId: number;
  match: mongo.Document;
  limit: number;
}

/** Concurrent searches that differ by their owner alone are read in one call. */
async function searchTogether(connection: Connection, wanted: OwnSearch[]): Promise<TicketDetail[][]> {
  const searches = wanted.map((search) => ({ ...search, found: [] as TicketDetail[] }));
  const read = async (group: typeof searches) => {
    const [{ match = {}, limit = 1 } = {}] = group;
    const userIds = group.map(({ userId }) => userId);
    const selection = { match, limit, projection: detailFields };
    const lists = await listSelected<TicketDetail>(connection, userIds, selection);
    group.forEach((search, index) => {
      search.found = lists[index] ?? [];
    });
  };
  await Promise.all(groupBy(searches, ({ match, limit }) => JSON.stringify([match, limit])).map(read));
  return searches.map(({ found }) => found);
}

/** With facts about each conversation. */
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

/** MongoDB chooses an index by trial, and would keep for one filter what was best for another that matches less. */
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
    // All statuses are named so that the index gives the order.
    ...(assigneeId === undefined ? [] : [{ assigneeId, status: { $in: [...ticketStatuses] } }]),
    ...(words === undefined ? [] : [{ _id: { $in: await findBySubject(connection, words) } }]),
    ...(id === undefined ? [] : [{ _id: id }]),
  ];
}

/** Reads the subjects from an index: a ticket itself is much longer. */
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
      $and: [{}, ...patternsOf(words).map((pattern) => ({ subject: { $regex: pattern } }))],
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
      lastReplyBy: awaiting ? (awaiting === 'staff' ? 'customer' : 'staff') : { $in: [...ticketAuthors] },
    }),
    ...(before !== undefined && after(newestFirst, { _id: before })),
  };
}

function statusesOf(status: TicketStatus | undefined, awaiting: TicketAuthor | undefined): TicketStatus[] {
  if (status === undefined) return openStatuses;
  return awaiting && !openStatuses.includes(status) ? [] : [status];
}
