/** Opens tickets for customers, who have a bounded number of open ones. */
import type { Connection } from 'mongoose';
import type { Sequences } from '../sequence.ts';
import { aggregateEach } from '../support/reads.ts';
import { openStatuses, type TicketRecord } from './schema.ts';
import { findByWriteId, type InsertResult, insertTickets, type NewTicket } from './write.ts';

/** How many open tickets a customer has at most. */
export const openTicketsMax = 100;

/** The customer has `openTicketsMax` open tickets. */
export class TooManyOpenTickets extends Error {}

/** Opens tickets, each unless its customer has as many open ones as may be. */
export async function openTickets(
  connection: Connection,
  sequences: Sequences,
  newTickets: NewTicket[],
): Promise<InsertResult[]> {
  const collection = connection.collection<TicketRecord>('tickets');
  const openOf = await countOpen(
    connection,
    newTickets.map(({ userId }) => userId),
  );
  const isAdmitted = newTickets.map(({ userId }) => {
    const open = (openOf.get(userId) ?? 0) + 1;
    openOf.set(userId, open);
    return open <= openTicketsMax;
  });
  const admitted = newTickets.filter((_, index) => isAdmitted[index]);
  if (admitted.length === newTickets.length) return insertTickets(collection, sequences, newTickets);
  const opened = (admitted.length > 0 ? await insertTickets(collection, sequences, admitted) : []).values();
  const refused = newTickets.filter((_, index) => !isAdmitted[index]);
  // An earlier try of the same request may have opened its ticket.
  const existing = await findByWriteId(collection, refused);
  return newTickets.map(({ writeId }, index) => {
    const result = isAdmitted[index] ? opened.next().value : existing.get(writeId);
    return result ?? new TooManyOpenTickets();
  });
}

/** How many tickets each user has open, up to `openTicketsMax`: read from an index alone. */
export async function countOpen(connection: Connection, userIds: number[]): Promise<Map<number, number>> {
  const isOpen = { status: { $in: openStatuses } };
  const [userId = 0, ...others] = new Set(userIds);
  if (others.length === 0) {
    const counted = connection
      .collection('tickets')
      .countDocuments({ userId, ...isOpen }, { limit: openTicketsMax });
    return new Map([[userId, await counted]]);
  }
  const counts = await aggregateEach<{ open: number }>(connection, {
    ...{ from: 'tickets', field: 'userId', values: [userId, ...others] },
    pipeline: [{ $match: isOpen }, { $limit: openTicketsMax }, { $count: 'open' }],
  });
  return new Map([...counts].map(([user, [count]]) => [user, count?.open ?? 0]));
}
