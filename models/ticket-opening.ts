/** Opening tickets: those of one moment take their ids and their places together, and each fails only for itself. */
import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import { failuresOf } from './bulk-write.ts';
import type { Sequences } from './sequence.ts';
import type { TicketRecord } from './ticket-schema.ts';

export interface NewTicket
  extends Pick<TicketRecord, 'userId' | 'subject' | 'serviceName' | 'serviceReference' | 'serviceType'> {
  keyId: string;
  /** The opening message. */
  text: string;
  now: Date;
}

/** Inserts past Mongoose: the records are made here whole, so that nothing is left to cast. */
export async function openTogether(
  collection: mongo.Collection<TicketRecord>,
  sequences: Sequences,
  newTickets: NewTicket[],
): Promise<(TicketRecord | Error)[]> {
  const firstId = await sequences.take('ticket', newTickets.length);
  const tickets = newTickets.map((ticket, index) => toRecord(ticket, firstId + index));
  const failures = await failuresOf(() => collection.insertMany(tickets, { ordered: false }));
  return tickets.map((ticket, index) => failures.get(index) ?? ticket);
}

function toRecord({ keyId, text, now, ...ticket }: NewTicket, id: number): TicketRecord {
  return {
    ...ticket,
    _id: id,
    status: 'New',
    messages: [{ id: randomUUID(), userId: ticket.userId, keyId, text, createdAt: now }],
    messageBytes: Buffer.byteLength(text),
    createdAt: now,
    updatedAt: now,
  };
}
