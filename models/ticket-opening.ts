/**
 * Opening tickets: those of one moment take their ids and their places together, and each fails only for itself. One that
 * was opened before under the same write id is found again.
 */
import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import { failuresOf, insertAll, isIdTaken } from './bulk-write.ts';
import type { Sequences } from './sequence.ts';
import type { TicketRecord } from './ticket-schema.ts';

export interface NewTicket
  extends Pick<TicketRecord, 'userId' | 'subject' | 'serviceName' | 'serviceReference' | 'serviceType'> {
  keyId: string;
  /** The opening message. */
  text: string;
  now: Date;
  /** The same each time the same ticket is asked for. */
  writeId?: string | undefined;
}

type Tickets = mongo.Collection<TicketRecord>;

type Outcome = TicketRecord | Error;

/** Those that met ids in use are opened with others. */
export async function openTogether(
  collection: Tickets,
  sequences: Sequences,
  newTickets: NewTicket[],
): Promise<Outcome[]> {
  const outcomes = await openOnce(collection, sequences, newTickets);
  const collided = newTickets.filter((_, index) => hasCollided(outcomes[index]));
  if (collided.length === 0) return outcomes;
  const newest = await collection.findOne({}, { sort: { _id: -1 }, projection: { _id: 1 } });
  await sequences.skipTo('ticket', newest?._id ?? 0);
  const again = (await openOnce(collection, sequences, collided)).values();
  return outcomes.map((outcome) => (hasCollided(outcome) ? (again.next().value ?? outcome) : outcome));
}

const hasCollided = (outcome: Outcome | undefined) => outcome instanceof Error && isIdTaken(outcome);

/** Inserts past Mongoose: the records are made here whole, so that nothing is left to cast. */
async function openOnce(
  collection: Tickets,
  sequences: Sequences,
  newTickets: NewTicket[],
): Promise<Outcome[]> {
  const firstId = await sequences.takeQuickly('ticket', newTickets.length);
  const tickets = newTickets.map((ticket, index) => toRecord(ticket, firstId + index));
  const failures = await failuresOf(() => insertAll(collection, tickets));
  const failed = tickets.filter((_, index) => failures.has(index));
  const opened = await findOpened(collection, failed);
  return tickets.map((ticket, index) => {
    const failure = failures.get(index);
    return failure ? (opened.get(ticket.writeId) ?? failure) : ticket;
  });
}

/** Tickets that were opened before, by their write ids; only what the majority has, as nobody waits for that any more. */
async function findOpened(collection: Tickets, tickets: TicketRecord[]) {
  const asked = tickets.flatMap(({ userId, writeId }) => (writeId ? { userId, writeId } : []));
  if (asked.length === 0) return new Map<string | undefined, TicketRecord>();
  const found = await collection.find({ $or: asked }, { readConcern: 'majority' }).toArray();
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
    messages: [{ id: randomUUID(), userId, keyId, text, createdAt: now }],
    messageBytes: Buffer.byteLength(text),
    createdAt: now,
    updatedAt: now,
  };
  return writeId ? { ...record, writeId } : record;
}
