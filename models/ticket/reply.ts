/** Stores replies: concurrent ones share a bulk write, and each succeeds or fails by itself. */
import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import { collectFailures, updateAll } from '../support/writes.ts';
import { addFact, type Outbox } from './pending.ts';
import { openStatuses, type TicketAuthor, type TicketMessage, type TicketRecord } from './schema.ts';

type Tickets = mongo.Collection<TicketRecord>;

export interface NewReply {
  ticketId: number;
  userId: number;
  /** The staff member who writes; absent when the owner does. */
  staffId?: number;
  keyId: string;
  text: string;
  now: Date;
  /** The number of the last message that the author has seen; the reply is refused if there is a later one. */
  lastSeenNumber?: number | undefined;
  close?: boolean | undefined;
  /** The same for each retry of one request, which adds the reply once. */
  writeId?: string | undefined;
}

type IdentifiedReply = NewReply & { messageId: string };

const KiB = 1024;

/** Bounded, because each write stores the whole ticket. A message takes about 200 bytes besides its text. Sizes are in UTF-8. */
export const ticketLimits = {
  customerBytes: 512 * KiB,
  bytes: 640 * KiB,
  /** Staff can still answer a ticket that is full for its owner. */
  messages: { customer: 2000, staff: 2500 },
} as const;

/**
 * Resolves to whether each reply was stored, or to its error. A reply is stored only in the given owner's open
 * ticket, within the size limits.
 */
export async function replyToMany(
  tickets: Tickets,
  outbox: Outbox,
  replies: NewReply[],
): Promise<(boolean | Error)[]> {
  const identified = replies.map((reply) => ({ ...reply, messageId: reply.writeId ?? randomUUID() }));
  let storedCount = 0;
  const failures = await collectFailures(async () => {
    const updates = identified.map((reply) => ({
      filter: filterOf(reply),
      update: [{ $set: changesOf(reply, outbox) }],
    }));
    storedCount = await updateAll(tickets, updates);
  });
  if (storedCount === replies.length) return replies.map(() => true);
  const mayBeStored = failures.size > 0 || replies.some(({ writeId }) => writeId);
  if (storedCount === 0 && !mayBeStored) return replies.map(() => false);
  const stored = await findStored(tickets, identified);
  return identified.map(({ messageId }, index) => failures.get(index) ?? stored.has(messageId));
}

function filterOf(reply: NewReply) {
  const { ticketId, userId, text, lastSeenNumber, writeId } = reply;
  const bytes = Buffer.byteLength(text);
  const author = authorOf(reply);
  return {
    _id: ticketId,
    userId,
    status: { $in: openStatuses },
    messageBytes: { $lte: ticketLimits.bytes - bytes },
    ...(author === 'customer' && { customerBytes: { $lte: ticketLimits.customerBytes - bytes } }),
    [`messages.${ticketLimits.messages[author] - 1}`]: { $exists: false },
    ...(lastSeenNumber !== undefined && { [`messages.${lastSeenNumber}`]: { $exists: false } }),
    ...(writeId && { 'messages.id': { $ne: writeId } }),
  };
}

function changesOf(reply: IdentifiedReply, outbox: Outbox) {
  const { messageId, text, now } = reply;
  const bytes = Buffer.byteLength(text);
  const author = authorOf(reply);
  const status = reply.close ? ('Closed' as const) : ('Active' as const);
  const messageCount = { $add: ['$messageCount', 1] };
  return {
    status,
    lastReplyBy: author,
    messageCount,
    messages: { $concatArrays: ['$messages', [{ $literal: toMessage(reply) }]] },
    messageBytes: { $add: ['$messageBytes', bytes] },
    ...(author === 'customer' && { customerBytes: { $add: ['$customerBytes', bytes] } }),
    updatedAt: now,
    isUnread: author === 'staff',
    isClosedByAnswer: status === 'Closed',
    ...addFact(outbox, {
      id: { $literal: messageId },
      type: 'ticket.replied',
      at: now,
      status,
      previousStatus: '$status',
      lastReplyBy: author,
      messageCount,
      isByStaff: author === 'staff',
    }),
  };
}

const authorOf = ({ staffId }: NewReply): TicketAuthor => (staffId === undefined ? 'customer' : 'staff');

function toMessage({ messageId, userId, staffId, keyId, text, now }: IdentifiedReply): TicketMessage {
  const message = { id: messageId, keyId, text, createdAt: now };
  return staffId === undefined ? { ...message, userId } : { ...message, author: 'staff', userId: staffId };
}

/** Ids of these messages that a majority has stored, perhaps in an earlier try. */
async function findStored(tickets: Tickets, replies: readonly IdentifiedReply[]): Promise<Set<string>> {
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
