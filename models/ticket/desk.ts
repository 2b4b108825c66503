/** Who of the staff works on a ticket, which answers customers have not seen, and how many tickets wait. */
import type { mongo } from 'mongoose';
import { pageSizeMax } from '../bounds.ts';
import { openStatuses, type TicketRecord } from './schema.ts';

type Tickets = mongo.Collection<TicketRecord>;

export interface Assignment {
  ticketId: number;
  /** Who works on it as far as the caller knows; null: no one; undefined: whoever does. */
  from?: number | null | undefined;
  to: number | null;
}

/** Whether the assignee is `to` now: not where it was neither `from` nor `to`. */
export async function assign(tickets: Tickets, { ticketId, from, to }: Assignment): Promise<boolean> {
  // null matches tickets without the field.
  const filter = from === undefined ? {} : { assigneeId: { $in: [from, to] as number[] } };
  const update = to === null ? { $unset: { assigneeId: '' } } : { $set: { assigneeId: to } };
  const { matchedCount } = await tickets.updateOne({ _id: ticketId, ...filter }, update as mongo.Document);
  return matchedCount > 0;
}

/**
 * Notes that the customer has seen the messages up to this number, unless there are later ones. Nobody waits for it, and it
 * may be lost: a read must neither wait for a write nor fail with one.
 */
export function markRead(tickets: Tickets, { ticketId, number }: { ticketId: number; number: number }): void {
  const filter = { _id: ticketId, isUnread: true, [`messages.${number}`]: { $exists: false } };
  void tickets.updateOne(filter, { $set: { isUnread: false } }).catch(() => {});
}

/** How many tickets of the user have an answer that was not seen. */
export const countUnread = (tickets: Tickets, userId: number): Promise<number> =>
  tickets.countDocuments({ userId, isUnread: true }, { limit: pageSizeMax });

/** How many tickets wait for the staff. */
export const countWaiting = (tickets: Tickets): Promise<number> =>
  tickets.countDocuments(
    { status: { $in: openStatuses }, lastReplyBy: 'customer' },
    { limit: pageSizeMax, hint: { status: 1, lastReplyBy: 1, _id: -1 } },
  );
