/** Opens tickets for customers, who have a bounded number of open ones. */
import type { Connection } from 'mongoose';
import { openTicketsMax } from '../bounds.ts';
import type { Sequences } from '../sequence.ts';
import { aggregateSingleBatch } from '../support/reads.ts';
import { openStatuses, type TicketRecord } from './schema.ts';
import { findByWriteId, type InsertResult, insertTickets, type NewTicket } from './write.ts';

/** The customer has `openTicketsMax` open tickets. */
export class TooManyOpenTickets extends Error {}

/** For so long this process adds what it opens to what it counted, of customers with less than half of the tickets. */
const countedForMs = 10_000;
const countedAgainFrom = openTicketsMax / 2;

/** Opens tickets, each unless its customer has as many open ones as may be: rejects it with TooManyOpenTickets. */
export function createOpenTickets(connection: Connection, sequences: Sequences) {
  const collection = connection.collection<TicketRecord>('tickets');
  let openOf = new Map<number, number>();
  let countedAt = performance.now();

  async function countUnknown(newTickets: NewTicket[]): Promise<void> {
    if (performance.now() - countedAt > countedForMs) {
      openOf = new Map();
      countedAt = performance.now();
    }
    const unknown = newTickets.flatMap(({ userId }) =>
      (openOf.get(userId) ?? countedAgainFrom) < countedAgainFrom ? [] : userId,
    );
    for (const [userId, open] of await countOpen(connection, unknown)) openOf.set(userId, open);
  }

  function admit({ userId }: NewTicket): boolean {
    const open = openOf.get(userId) ?? openTicketsMax;
    if (open < openTicketsMax) openOf.set(userId, open + 1);
    return open < openTicketsMax;
  }

  return async function openTickets(newTickets: NewTicket[]): Promise<InsertResult[]> {
    await countUnknown(newTickets);
    const admitted = newTickets.filter(admit);
    if (admitted.length === newTickets.length) return insertTickets(collection, sequences, newTickets);
    const results = await insertTickets(collection, sequences, admitted);
    const resultOf = new Map(admitted.map((ticket, index) => [ticket, results[index]]));
    // An earlier try of the same request may have opened its ticket.
    const existing = await findByWriteId(
      collection,
      newTickets.filter((ticket) => !resultOf.has(ticket)),
    );
    return newTickets.map(
      (ticket) => resultOf.get(ticket) ?? existing.get(ticket.writeId) ?? new TooManyOpenTickets(),
    );
  };
}

/** How many tickets each user has open: counted in an index. */
export async function countOpen(
  connection: Connection,
  userIds: readonly number[],
): Promise<Map<number, number>> {
  const users = [...new Set(userIds)];
  if (users.length === 0) return new Map();
  const counts = await aggregateSingleBatch<{ _id: number; open: number }>(connection, {
    aggregate: 'tickets',
    pipeline: [
      { $match: { userId: users.length === 1 ? users[0] : { $in: users }, status: { $in: openStatuses } } },
      { $group: { _id: '$userId', open: { $sum: 1 } } },
    ],
    limit: users.length,
  });
  const openOf = new Map(counts.map(({ _id, open }) => [_id, open]));
  return new Map(users.map((userId) => [userId, openOf.get(userId) ?? 0]));
}
