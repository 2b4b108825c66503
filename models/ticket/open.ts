/** Opens tickets, up to `openTicketsMax` per customer. Concurrent openings share a write; each succeeds or fails by itself. */
import { randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import { openTicketsMax } from '../bounds.ts';
import type { Sequences } from '../sequence.ts';
import { fold } from '../support/fold.ts';
import { aggregateSingleBatch } from '../support/reads.ts';
import { collectFailures, insertAll, isDuplicateIn } from '../support/writes.ts';
import type { Outbox } from './pending.ts';
import { openingIndex, openingIndexName, openStatuses, type TicketRecord } from './schema.ts';

export interface NewTicket
  extends Pick<TicketRecord, 'userId' | 'subject' | 'serviceName' | 'serviceReference' | 'serviceType'> {
  keyId: string;
  text: string;
  now: Date;
  /** The same for each retry of one request. */
  writeId?: string | undefined;
}

type AdmittedTicket = NewTicket & Required<Pick<TicketRecord, 'openingNumber'>>;

export class TooManyOpenTickets extends Error {}

interface OpeningDeps {
  collection: mongo.Collection<TicketRecord>;
  sequences: Sequences;
  outbox: Outbox;
}

/**
 * The outcome is TooManyOpenTickets for a customer with `openTicketsMax` open tickets. If `hasCollided` accepts an outcome, a
 * retry may open the ticket with other numbers.
 */
export const createOpenTickets = (connection: Connection, deps: OpeningDeps) =>
  async function openTickets(newTickets: NewTicket[]): Promise<(TicketRecord | Error)[]> {
    const openings = await readNextOpenings(connection, newTickets);
    const admitted = newTickets.map((ticket) => {
      const openingNumber = openings.get(ticket.userId)?.shift();
      return openingNumber === undefined ? null : { ...ticket, openingNumber };
    });
    const toStore = admitted.filter((ticket) => ticket !== null);
    const inserted = (await insertTickets(deps, toStore)).values();
    const outcomes = admitted.map((ticket) => (ticket && inserted.next().value) ?? new TooManyOpenTickets());
    if (outcomes.some(isIdInUse)) await skipUsedIds(deps);
    // An earlier try of the same request may have opened its ticket.
    const existing = await findByWriteId(
      deps.collection,
      newTickets.filter((_, index) => outcomes[index] instanceof Error),
    );
    return outcomes.map((outcome, index) =>
      outcome instanceof Error ? (existing.get(newTickets[index]?.writeId) ?? outcome) : outcome,
    );
  };

/** Another ticket of the same customer was opened at the same time. */
export const isOpeningCollision = (failure: unknown) =>
  failure instanceof Error && isDuplicateIn(openingIndexName, failure);

/** An id may be in use because a failover rolled the counter back. */
const isIdInUse = (failure: unknown) => failure instanceof Error && isDuplicateIn('_id_', failure);

/** Nothing was stored, and the next try takes other numbers. */
export const hasCollided = (failure: unknown) => isOpeningCollision(failure) || isIdInUse(failure);

async function skipUsedIds({ collection, sequences }: OpeningDeps): Promise<void> {
  const newest = await collection.findOne({}, { sort: { _id: -1 }, projection: { _id: 1 } });
  await sequences.skipTo('ticket', newest?._id ?? 0);
}

/**
 * Resolves to each ticket, or to why it is not stored. MongoDB inserts the tickets of one customer in order, so no later number
 * is taken before an earlier one.
 */
async function insertTickets(
  { collection, sequences, outbox }: OpeningDeps,
  admitted: AdmittedTicket[],
): Promise<(TicketRecord | Error)[]> {
  if (admitted.length === 0) return [];
  const firstId = await sequences.takeUnconfirmed('ticket', admitted.length);
  const tickets = admitted.map((ticket, index) => toRecord(ticket, firstId + index, outbox));
  const failures = await collectFailures(() => insertAll(collection, tickets));
  return tickets.map((ticket, index) => failures.get(index) ?? ticket);
}

/**
 * Reads the next opening numbers of each user, one for each ticket until `openTicketsMax` are open. The last number is read
 * before the count: if the next number is still free when a ticket is stored, no ticket was opened since.
 */
export async function readNextOpenings(
  connection: Connection,
  users: readonly { userId: number }[],
): Promise<Map<number, number[]>> {
  const userIds = [...new Set(users.map(({ userId }) => userId))];
  const userId = userIds.length === 1 ? userIds[0] : { $in: userIds };
  const count = [
    { $match: { userId, status: { $in: openStatuses } } },
    { $group: { _id: '$userId', open: { $sum: 1 } } },
  ];
  const read = await aggregateSingleBatch<{ _id: number; last?: number; open?: number }>(connection, {
    aggregate: 'tickets',
    pipeline: [
      { $match: { userId, openingNumber: { $gt: 0 } } },
      { $sort: openingIndex },
      { $group: { _id: '$userId', last: { $first: '$openingNumber' } } },
      { $unionWith: { coll: 'tickets', pipeline: count } },
    ],
    limit: 2 * userIds.length,
  });
  const lastOf = new Map(read.flatMap(({ _id, last }) => (last === undefined ? [] : [[_id, last]])));
  const openOf = new Map(read.flatMap(({ _id, open }) => (open === undefined ? [] : [[_id, open]])));
  return new Map(
    userIds.map((id) => {
      const length = Math.max(0, openTicketsMax - (openOf.get(id) ?? 0));
      return [id, Array.from({ length }, (_, index) => (lastOf.get(id) ?? 0) + 1 + index)];
    }),
  );
}

/** Tickets that an earlier try opened, as they were then. That try may not have waited for a majority, so this read does. */
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

function toRecord(ticket: AdmittedTicket, id: number, { isOn }: Outbox): TicketRecord {
  const { userId, subject, serviceName, serviceReference, serviceType, openingNumber } = ticket;
  const { keyId, text, now, writeId } = ticket;
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
    openingNumber,
    ...(writeId && { writeId }),
    ...(isOn && { facts: [{ ...fact, previousStatus: 'New', isByStaff: false }] }),
  };
}
