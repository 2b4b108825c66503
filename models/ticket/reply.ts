/** Stores replies: each is one atomic update with its own conditions, and concurrent ones share a bulk write. */
import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import { collectFailures, updateAll } from '../support/bulk-write.ts';
import { openStatuses, type TicketAuthor, type TicketMessage, type TicketRecord } from './schema.ts';

export interface NewReply {
  ticketId: number;
  /** The ticket's owner. */
  userId: number;
  /** The staff member who writes; absent when the owner does. */
  staffId?: number;
  keyId: string;
  text: string;
  now: Date;
  /** Closes the ticket in the same update. */
  close?: boolean | undefined;
  /** The same for each retry of one request, which adds the reply once. */
  writeId?: string | undefined;
}

type Tickets = mongo.Collection<TicketRecord>;
type IdentifiedReply = NewReply & { messageId: string };

const MiB = 1024 * 1024;

/**
 * Below MongoDB's 16 MiB document limit, with space for all that is not text: up to 220 bytes per message.
 * Staff can still answer a ticket that is full for its owner.
 */
export const ticketLimits: Record<TicketAuthor, { textBytes: number; messages: number }> = {
  customer: { textBytes: 12 * MiB, messages: 10_000 },
  staff: { textBytes: 13 * MiB, messages: 11_000 },
};

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

function toUpdate(reply: IdentifiedReply) {
  const { ticketId, userId, text, now, writeId } = reply;
  const author = authorOf(reply);
  const bytes = Buffer.byteLength(text);
  const { textBytes, messages } = ticketLimits[author];
  const filter = {
    _id: ticketId,
    userId,
    status: { $in: openStatuses },
    messageBytes: { $lte: textBytes - bytes },
    [`messages.${messages - 1}`]: { $exists: false },
    ...(writeId && { 'messages.id': { $ne: writeId } }),
  };
  const status = reply.close ? ('Closed' as const) : ('Active' as const);
  const update = {
    $push: { messages: toMessage(reply) },
    $inc: { messageBytes: bytes },
    $set: { status, lastReplyBy: author, updatedAt: now },
  };
  return { filter, update };
}

const authorOf = ({ staffId }: NewReply): TicketAuthor => (staffId === undefined ? 'customer' : 'staff');

function toMessage({ messageId, userId, staffId, keyId, text, now }: IdentifiedReply): TicketMessage {
  const message = { id: messageId, keyId, text, createdAt: now };
  return staffId === undefined ? { ...message, userId } : { ...message, author: 'staff', userId: staffId };
}

/** Ids of the messages that are stored at majority, some of them perhaps by an earlier try. */
async function findStored(tickets: Tickets, replies: IdentifiedReply[]): Promise<Set<string>> {
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
