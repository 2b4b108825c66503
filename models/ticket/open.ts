/** Opens tickets for customers, who have a bounded number of open ones: concurrent ones share a write, and each succeeds by itself. */
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
  /** The opening message. */
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
 * Opens tickets, at most one of each customer. The outcome is TooManyOpenTickets for a customer who has `openTicketsMax` open
 * ones.
 */
export const createOpenTickets = (connection: Connection, deps: OpeningDeps) =>
  async function openTickets(newTickets: NewTicket[]): Promise<(TicketRecord | Error)[]> {
    const outcomes = await openOnce(connection, deps, newTickets);
    const collided = newTickets.filter((_, index) => hasCollided(outcomes[index]));
    if (collided.length === 0) return outcomes;
    await skipUsedIds(deps);
    const again = (await openTickets(collided)).values();
    return outcomes.map((outcome) => (hasCollided(outcome) ? (again.next().value ?? outcome) : outcome));
  };

/** Another ticket of the same customer became open at once. */
export const isOpeningCollision = (failure: unknown) =>
  failure instanceof Error && isDuplicateIn(openingIndexName, failure);

/** A failover may also have rolled the counter of ids back. */
const hasCollided = (outcome: TicketRecord | Error | undefined) =>
  outcome instanceof Error && (isOpeningCollision(outcome) || isDuplicateIn('_id_', outcome));

async function skipUsedIds({ collection, sequences }: OpeningDeps): Promise<void> {
  const newest = await collection.findOne({}, { sort: { _id: -1 }, projection: { _id: 1 } });
  await sequences.skipTo('ticket', newest?._id ?? 0);
}

async function openOnce(
  connection: Connection,
  deps: OpeningDeps,
  newTickets: NewTicket[],
): Promise<(TicketRecord | Error)[]> {
  const numberOf = await readNextOpenings(connection, newTickets);
  const admitted = newTickets.flatMap((ticket) => {
    const openingNumber = numberOf.get(ticket.userId);
    return openingNumber === undefined ? [] : { ...ticket, openingNumber };
  });
  const inserted = await insertTickets(deps, admitted);
  const outcomeOf = ({ userId }: NewTicket) => inserted.get(userId) ?? new TooManyOpenTickets();
  // An earlier try of the same request may have opened its ticket.
  const existing = await findByWriteId(
    deps.collection,
    newTickets.filter((ticket) => outcomeOf(ticket) instanceof Error),
  );
  return newTickets.map((ticket) => {
    const outcome = outcomeOf(ticket);
    return outcome instanceof Error ? (existing.get(ticket.writeId) ?? outcome) : outcome;
  });
}

/** The ticket of each customer, or why it is not stored. Skips Mongoose: there is nothing to cast. */
async function insertTickets({ collection, sequences, outbox }: OpeningDeps, admitted: AdmittedTicket[]) {
  if (admitted.length === 0) return new Map<number, TicketRecord | Error>();
  const firstId = await sequences.takeUnconfirmed('ticket', admitted.length);
  const tickets = admitted.map((ticket, index) => toRecord(ticket, firstId + index, outbox));
  const failures = await collectFailures(() => insertAll(collection, tickets));
  return new Map(tickets.map((ticket, index) => [ticket.userId, failures.get(index) ?? ticket]));
}

/**
 * The number of the next opening of each of these users; none for a user who has `openTicketsMax` open tickets. It reads the last
 * number before it counts: if the next number is still free when the ticket is stored, none was opened since.
 */
export async function readNextOpenings(
  connection: Connection,
  users: readonly { userId: number }[],
): Promise<Map<number, number>> {
  const userIds = users.map(({ userId }) => userId);
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
  const numbers = new Map(userIds.map((id) => [id, 1]));
  for (const { _id, last, open = 0 } of read)
    if (last !== undefined) numbers.set(_id, last + 1);
    else if (open >= openTicketsMax) numbers.delete(_id);
  return numbers;
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
