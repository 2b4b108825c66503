/** Filtered lists of tickets, of one user or of all. Each filter is a set of exact index keys, so none scans. */
import type { Connection } from 'mongoose';
import { findSingleBatch } from '../support/find-single-batch.ts';
import { groupBy } from '../support/group-by.ts';
import { listTicketsOfMany, type TicketSummary } from './list.ts';
import { detailFields, type TicketDetail, withLastReply } from './read.ts';
import { openStatuses, type TicketAuthor, type TicketStatus } from './schema.ts';

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

export type OwnTicketFilter = TicketFilter & { userId: number };

/** One list per filter, newest first. Concurrent lists that differ by their owner alone are read in one call. */
export async function searchTicketsOfMany(
  connection: Connection,
  filters: OwnTicketFilter[],
): Promise<TicketSummary[][]> {
  const searches = filters.map(({ userId, limit, ...filter }) => ({
    ...{ userId, selection: { match: toQuery(filter), limit } },
    found: [] as TicketSummary[],
  }));
  const read = async (group: typeof searches) => {
    const userIds = group.map(({ userId }) => userId);
    const lists = await listTicketsOfMany(connection, userIds, group[0]?.selection);
    group.forEach((search, index) => {
      search.found = lists[index] ?? [];
    });
  };
  await Promise.all(groupBy(searches, ({ selection }) => JSON.stringify(selection)).map(read));
  return searches.map(({ found }) => found);
}

/** Newest first, with facts about each conversation. */
export async function searchTicketDetails(
  connection: Connection,
  filter: TicketFilter,
): Promise<TicketDetail[]> {
  const found = await findSingleBatch<TicketDetail>(connection, {
    find: 'tickets',
    filter: toQuery(filter),
    projection: detailFields,
    sort: { _id: -1 },
    limit: filter.limit,
  });
  return found.map(withLastReply);
}

function toQuery({ userId, status, awaiting, before }: Omit<TicketFilter, 'limit'>) {
  const isFiltered = status !== undefined || awaiting !== undefined;
  return {
    ...(userId !== undefined && { userId }),
    ...(isFiltered && {
      status: { $in: statusesOf(status, awaiting) },
      lastReplyBy: { $in: awaiting ? lastAuthorsOf(awaiting) : [...anyAuthor] },
    }),
    ...(before !== undefined && { _id: { $lt: before } }),
  };
}

/** Null matches tickets opened by a release before schema version 2. */
const byCustomer = ['customer', null];
const anyAuthor = [...byCustomer, 'staff'];

const lastAuthorsOf = (awaiting: TicketAuthor) => (awaiting === 'staff' ? byCustomer : ['staff']);

function statusesOf(status: TicketStatus | undefined, awaiting: TicketAuthor | undefined): TicketStatus[] {
  if (status === undefined) return openStatuses;
  return awaiting && !openStatuses.includes(status) ? [] : [status];
}
