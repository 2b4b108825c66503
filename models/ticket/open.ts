/** Opens tickets for customers, who have a bounded number of open ones: concurrent ones share a write, and each succeeds by itself. */
import { randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import { openTicketsMax } from '../bounds.ts';
import type { Sequences } from '../sequence.ts';
import { fold } from '../support/fold.ts';
import { aggregateSingleBatch } from '../support/reads.ts';
import { collectFailures, insertAll, isDuplicateId } from '../support/writes.ts';
import type { Outbox } from './pending.ts';
import { openStatuses, type TicketRecord } from './schema.ts';

export interface NewTicket
  extends Pick<TicketRecord, 'userId' | 'subject' | 'serviceName' | 'serviceReference' | 'serviceType'> {
  keyId: string;
  /** The opening message. */
  text: string;
  now: Date;
  /** The same for each retry of one request. */
  writeId?: string | undefined;
}

/** The customer has `openTicketsMax` open tickets. */
export class TooManyOpenTickets extends Error {}

/** For so long this process adds what it opens to what it counted, of customers with less than half of the tickets. */
const countedForMs = 10_000;
const countedAgainFrom = openTicketsMax / 2;

interface OpeningDeps {
  collection: mongo.Collection<TicketRecord>;
  sequences: Sequences;
  outbox: Outbox;
}

/** Opens tickets, each unless its customer has as many open ones as may be: rejects it with TooManyOpenTickets. */
export function createOpenTickets(connection: Connection, deps: OpeningDeps) {
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

  return async function openTickets(newTickets: NewTicket[]): Promise<(TicketRecord | Error)[]> {
    await countUnknown(newTickets);
    const admitted = newTickets.filter(admit);
    const results = await insertTickets(deps, admitted);
    if (admitted.length === newTickets.length) return results;
    const resultOf = new Map(admitted.map((ticket, index) => [ticket, results[index]]));
    // An earlier try of the same request may have opened its ticket.
    const existing = await findByWriteId(
      deps.collection,
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

/** Tickets whose ids are in use, after a failover rolled the counter back, are inserted again with new ids. */
async function insertTickets(deps: OpeningDeps, newTickets: NewTicket[]): Promise<(TicketRecord | Error)[]> {
  const results = await insertOnce(deps, newTickets);
  const hasCollided = (index: number) => {
    const result = results[index];
    return result instanceof Error && isDuplicateId(result);
  };
  const collided = newTickets.filter((_, index) => hasCollided(index));
  if (collided.length === 0) return results;
  const newest = await deps.collection.findOne({}, { sort: { _id: -1 }, projection: { _id: 1 } });
  await deps.sequences.skipTo('ticket', newest?._id ?? 0);
  const retried = (await insertOnce(deps, collided)).values();
  return results.map((result, index) => (hasCollided(index) ? (retried.next().value ?? result) : result));
}

/** Skips Mongoose: the records are complete, so there is nothing to cast. */
async function insertOnce({ collection, sequences, outbox }: OpeningDeps, newTickets: NewTicket[]) {
  if (newTickets.length === 0) return [];
  const firstId = await sequences.takeUnconfirmed('ticket', newTickets.length);
  const tickets = newTickets.map((ticket, index) => toRecord(ticket, firstId + index, outbox));
  const failures = await collectFailures(() => insertAll(collection, tickets));
  const existing = await findByWriteId(
    collection,
    tickets.filter((_, index) => failures.has(index)),
  );
  return tickets.map((ticket, index) => {
    const failure = failures.get(index);
    return failure ? (existing.get(ticket.writeId) ?? failure) : ticket;
  });
}

/** Tickets opened by an earlier try, as they were then. Read at majority, because that try did not wait for it. */
export async function findByWriteId(
  collection: mongo.Collection<TicketRecord>,
  tickets: Pick<NewTicket, 'userId' | 'writeId'>[],
) {
  const keys = tickets.flatMap(({ userId, writeId }) => (writeId ? { userId, writeId } : []));
  if (keys.length === 0) return new Map<string | undefined, TicketRecord>();
  const found = await collection.find({ $or: keys }, { readConcern: 'majority' }).toArray();
  return new Map(found.map((ticket) => [ticket.writeId, { ...ticket, ...asOpened(ticket.createdAt) }]));
}

const asOpened = (now: Date) => ({ status: 'New', updatedAt: now }) as const;

function toRecord(ticket: NewTicket, id: number, { isOn }: Outbox): TicketRecord {
  const { userId, subject, serviceName, serviceReference, serviceType, keyId, text, now, writeId } = ticket;
  const bytes = Buffer.byteLength(text);
  const state = { status: 'New', lastReplyBy: 'customer', messageCount: 1 } as const;
  const fact = { ...state, id: 'opened', type: 'ticket.created', at: now } as const;
  return {
    _id: id,
    userId,
    subject,
    folded: fold(subject),
    serviceName,
    serviceReference,
    serviceType,
    ...state,
    messages: [{ id: randomUUID(), userId, keyId, text, createdAt: now }],
    messageBytes: bytes,
    customerBytes: bytes,
    createdAt: now,
    updatedAt: now,
    ...(writeId && { writeId }),
    ...(isOn && { facts: [{ ...fact, previousStatus: 'New', isByStaff: false }] }),
  };
}
