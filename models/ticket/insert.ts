/** Inserts new tickets in batches, each succeeding or failing independently. A repeated write id yields the ticket it opened. */
import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import type { Sequences } from '../sequence.ts';
import { collectFailures, insertAll } from '../support/bulk-write.ts';
import { isDuplicateId } from '../support/duplicate-key.ts';
import type { TicketRecord } from './schema.ts';

export interface NewTicket
  extends Pick<TicketRecord, 'userId' | 'subject' | 'serviceName' | 'serviceReference' | 'serviceType'> {
  keyId: string;
  /** The opening message. */
  text: string;
  now: Date;
  /** The same for each retry of one request. */
  writeId?: string | undefined;
}

type Tickets = mongo.Collection<TicketRecord>;

type Outcome = TicketRecord | Error;

/** Tickets whose ids are in use, after a failover rolled the counter back, are inserted again with new ids. */
export async function insertTickets(
  collection: Tickets,
  sequences: Sequences,
  newTickets: NewTicket[],
): Promise<Outcome[]> {
  const outcomes = await insertOnce(collection, sequences, newTickets);
  const collided = newTickets.filter((_, index) => hasCollided(outcomes[index]));
  if (collided.length === 0) return outcomes;
  const newest = await collection.findOne({}, { sort: { _id: -1 }, projection: { _id: 1 } });
  await sequences.skipTo('ticket', newest?._id ?? 0);
  const retried = (await insertOnce(collection, sequences, collided)).values();
  return outcomes.map((outcome) => (hasCollided(outcome) ? (retried.next().value ?? outcome) : outcome));
}

const hasCollided = (outcome: Outcome | undefined) => outcome instanceof Error && isDuplicateId(outcome);

/** Skips Mongoose: the records are complete, so there is nothing to cast. */
async function insertOnce(
  collection: Tickets,
  sequences: Sequences,
  newTickets: NewTicket[],
): Promise<Outcome[]> {
  const firstId = await sequences.takeUnconfirmed('ticket', newTickets.length);
  const tickets = newTickets.map((ticket, index) => toRecord(ticket, firstId + index));
  const failures = await collectFailures(() => insertAll(collection, tickets));
  const failed = tickets.filter((_, index) => failures.has(index));
  const existing = await findByWriteId(collection, failed);
  return tickets.map((ticket, index) => {
    const failure = failures.get(index);
    return failure ? (existing.get(ticket.writeId) ?? failure) : ticket;
  });
}

/** Tickets opened by an earlier try. Read at majority, because that try did not wait for it. */
async function findByWriteId(collection: Tickets, tickets: TicketRecord[]) {
  const keys = tickets.flatMap(({ userId, writeId }) => (writeId ? { userId, writeId } : []));
  if (keys.length === 0) return new Map<string | undefined, TicketRecord>();
  const found = await collection.find({ $or: keys }, { readConcern: 'majority' }).toArray();
  return new Map(found.map((ticket) => [ticket.writeId, ticket]));
}

function toRecord(ticket: NewTicket, id: number): TicketRecord {
  const { userId, keyId, text, now, writeId } = ticket;
  const record = {
    _id: id,
    userId,
    subject: ticket.subject,
    serviceName: ticket.serviceName,
    serviceReference: ticket.serviceReference,
    serviceType: ticket.serviceType,
    status: 'New' as const,
    lastReplyBy: 'customer' as const,
    messages: [{ id: randomUUID(), userId, keyId, text, createdAt: now }],
    messageBytes: Buffer.byteLength(text),
    createdAt: now,
    updatedAt: now,
  };
  return writeId ? { ...record, writeId } : record;
}
