/** Stores new tickets and replies: concurrent ones share a bulk write, and each succeeds or fails by itself. */
import { randomUUID } from 'node:crypto';
import type { ClientSession, mongo } from 'mongoose';
import type { Sequences } from '../sequence.ts';
import { collectFailures, insertAll, isDuplicateId, updateAll } from '../support/writes.ts';
import { detailFields, type NumberedMessage, type TicketDetail } from './read.ts';
import {
  openStatuses,
  type TicketAuthor,
  type TicketMessage,
  type TicketRecord,
  type TicketStatus,
} from './schema.ts';

export interface NewTicket
  extends Pick<TicketRecord, 'userId' | 'subject' | 'serviceName' | 'serviceReference' | 'serviceType'> {
  keyId: string;
  /** The opening message. */
  text: string;
  now: Date;
  /** Stored with it, for `listPending`. */
  pending?: TicketRecord['pending'];
  /** The same for each retry of one request. */
  writeId?: string | undefined;
}

type Tickets = mongo.Collection<TicketRecord>;

export type InsertResult = TicketRecord | Error;

/** Tickets whose ids are in use, after a failover rolled the counter back, are inserted again with new ids. */
export async function insertTickets(
  collection: Tickets,
  sequences: Sequences,
  newTickets: NewTicket[],
): Promise<InsertResult[]> {
  const results = await insertOnce(collection, sequences, newTickets);
  const collided = newTickets.filter((_, index) => hasCollided(results[index]));
  if (collided.length === 0) return results;
  const newest = await collection.findOne({}, { sort: { _id: -1 }, projection: { _id: 1 } });
  await sequences.skipTo('ticket', newest?._id ?? 0);
  const retried = (await insertOnce(collection, sequences, collided)).values();
  return results.map((result) => (hasCollided(result) ? (retried.next().value ?? result) : result));
}

const hasCollided = (result: InsertResult | undefined) => result instanceof Error && isDuplicateId(result);

/** Skips Mongoose: the records are complete, so there is nothing to cast. */
async function insertOnce(
  collection: Tickets,
  sequences: Sequences,
  newTickets: NewTicket[],
): Promise<InsertResult[]> {
  if (newTickets.length === 0) return [];
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
export async function findByWriteId(collection: Tickets, tickets: Pick<NewTicket, 'userId' | 'writeId'>[]) {
  const keys = tickets.flatMap(({ userId, writeId }) => (writeId ? { userId, writeId } : []));
  if (keys.length === 0) return new Map<string | undefined, TicketRecord>();
  const found = await collection.find({ $or: keys }, { readConcern: 'majority' }).toArray();
  return new Map(found.map((ticket) => [ticket.writeId, ticket]));
}

function toRecord(ticket: NewTicket, id: number): TicketRecord {
  const { userId, keyId, text, now, writeId, pending } = ticket;
  const bytes = Buffer.byteLength(text);
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
    messageCount: 1,
    messageBytes: bytes,
    customerBytes: bytes,
    createdAt: now,
    updatedAt: now,
  };
  return { ...record, ...(writeId && { writeId }), ...(pending && { pending }) };
}

export interface NewReply {
  ticketId: number;
  /** The ticket's owner. */
  userId: number;
  /** The staff member who writes; absent when the owner does. */
  staffId?: number;
  keyId: string;
  text: string;
  now: Date;
  /** The number of the last message that its author has seen: the reply is refused where there is a later one. */
  seen?: number | undefined;
  /** Closes the ticket in the same update. */
  close?: boolean | undefined;
  /** The same for each retry of one request, which adds the reply once. */
  writeId?: string | undefined;
}

type IdentifiedReply = NewReply & { messageId: string };

const KiB = 1024;

/** Of a ticket, which each write stores as a whole: in UTF-8 bytes, and in messages of some 200 bytes in addition to their text. */
export const ticketLimits = {
  customerBytes: 512 * KiB,
  bytes: 640 * KiB,
  /** Staff can still answer a ticket that is full for its owner. */
  messages: { customer: 2000, staff: 2500 },
} as const;

/** Whether each reply is stored: only in an open ticket of its owner, within the size limit. */
export async function replyToMany(tickets: Tickets, replies: NewReply[]): Promise<(boolean | Error)[]> {
  const identified = replies.map((reply) => ({ ...reply, messageId: reply.writeId ?? randomUUID() }));
  let storedCount = 0;
  const failures = await collectFailures(async () => {
    storedCount = await updateAll(tickets, identified.map(toUpdate));
  });
  if (storedCount === replies.length) return replies.map(() => true);
  const mayBeStored = failures.size > 0 || replies.some(({ writeId }) => writeId);
  if (storedCount === 0 && !mayBeStored) return replies.map(() => false);
  const stored = await findStored(tickets, identified);
  return identified.map(({ messageId }, index) => failures.get(index) ?? stored.has(messageId));
}

/** A reply that is stored now, with the ticket after it. */
export interface StoredReply {
  ticket: TicketDetail;
  message: NumberedMessage;
  previousStatus: TicketStatus;
}

/** Stores one reply as part of a transaction; null unless it is stored by this call. */
export async function replyWithin(
  tickets: Tickets,
  reply: NewReply,
  session: ClientSession,
): Promise<StoredReply | null> {
  const { filter, update } = toUpdate({ ...reply, messageId: reply.writeId ?? randomUUID() });
  const options = { session, projection: detailFields, returnDocument: 'before' } as const;
  const before = (await tickets.findOneAndUpdate(filter, update, options)) as TicketDetail | null; // as projected
  if (!before) return null;
  const { text, now, staffId, userId } = reply;
  const number = before.messageCount + 1;
  const author = authorOf(reply);
  return {
    ticket: { ...before, ...update.$set, messageCount: number },
    message: { number, author, userId: staffId ?? userId, text, createdAt: now },
    previousStatus: before.status,
  };
}

/** Whether an earlier try of the same write stored the reply. */
export const isReplyStored = async (tickets: Tickets, { ticketId, writeId }: NewReply): Promise<boolean> =>
  writeId !== undefined && (await findStored(tickets, [{ ticketId, messageId: writeId }])).has(writeId);

function toUpdate(reply: IdentifiedReply) {
  const { ticketId, userId, text, now, seen, writeId } = reply;
  const author = authorOf(reply);
  const bytes = Buffer.byteLength(text);
  const customerBytes = author === 'customer' ? bytes : 0;
  const filter = {
    _id: ticketId,
    userId,
    status: { $in: openStatuses },
    messageBytes: { $lte: ticketLimits.bytes - bytes },
    ...(customerBytes > 0 && { customerBytes: { $lte: ticketLimits.customerBytes - bytes } }),
    [`messages.${ticketLimits.messages[author] - 1}`]: { $exists: false },
    ...(seen !== undefined && { [`messages.${seen}`]: { $exists: false } }),
    ...(writeId && { 'messages.id': { $ne: writeId } }),
  };
  const status = reply.close ? ('Closed' as const) : ('Active' as const);
  const update = {
    $push: { messages: toMessage(reply) },
    $inc: { messageBytes: bytes, customerBytes, messageCount: 1 },
    $set: {
      ...{ status, lastReplyBy: author, updatedAt: now, isUnread: author === 'staff' },
      isClosedByAnswer: status === 'Closed',
    },
  };
  return { filter, update };
}

const authorOf = ({ staffId }: NewReply): TicketAuthor => (staffId === undefined ? 'customer' : 'staff');

function toMessage({ messageId, userId, staffId, keyId, text, now }: IdentifiedReply): TicketMessage {
  const message = { id: messageId, keyId, text, createdAt: now };
  return staffId === undefined ? { ...message, userId } : { ...message, author: 'staff', userId: staffId };
}

/** Ids of the messages that are stored at majority, some of them perhaps by an earlier try. */
async function findStored(
  tickets: Tickets,
  replies: Pick<IdentifiedReply, 'ticketId' | 'messageId'>[],
): Promise<Set<string>> {
  const ticketIds = replies.map(({ ticketId }) => ticketId);
  const isOneOfThese = { $in: ['$$message.id', replies.map(({ messageId }) => messageId)] };
  const found = tickets.aggregate<{ ids: string[] }>(
    [
      { $match: { _id: { $in: ticketIds } } },
      { $project: { stored: { $filter: { input: '$messages', as: 'message', cond: isOneOfThese } } } },
      { $project: { ids: '$stored.id' } },
    ],
    { readConcern: 'majority' },
  );
  return new Set((await found.toArray()).flatMap(({ ids }) => ids));
}
