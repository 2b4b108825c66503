/** Replying: each reply is an atomic update with conditions of its own; those of one moment travel together. */
import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import { failuresOf, updateAll } from './bulk-write.ts';
import { openStatuses, type TicketRecord } from './ticket-schema.ts';

export interface NewReply {
  ticketId: number;
  userId: number;
  keyId: string;
  text: string;
  now: Date;
  /** The same each time the same reply is asked for; it is then added once. */
  writeId?: string | undefined;
}

type Tickets = mongo.Collection<TicketRecord>;
type IdentifiedReply = NewReply & { messageId: string };

/** Leaves room below MongoDB's 16 MiB for all that is not text. */
const messageBytesMax = 12 * 1024 * 1024;

/** For each reply, whether it is stored: only in an open ticket of its own user, with room for it. */
export async function replyTogether(tickets: Tickets, replies: NewReply[]): Promise<(boolean | Error)[]> {
  const identified = replies.map((reply) => ({ ...reply, messageId: reply.writeId ?? randomUUID() }));
  let storedCount = 0;
  const failures = await failuresOf(async () => {
    storedCount = await updateAll(tickets, identified.map(toUpdate));
  });
  if (storedCount === replies.length) return replies.map(() => true);
  const mayBeThere = failures.size > 0 || replies.some(({ writeId }) => writeId);
  if (storedCount === 0 && !mayBeThere) return replies.map(() => false);
  const stored = await findStored(tickets, identified);
  return identified.map(({ messageId }, index) => failures.get(index) ?? stored.has(messageId));
}

function toUpdate({ ticketId, userId, keyId, text, now, messageId, writeId }: IdentifiedReply) {
  const bytes = Buffer.byteLength(text);
  const message = { id: messageId, userId, keyId, text, createdAt: now };
  const filter = {
    _id: ticketId,
    userId,
    status: { $in: openStatuses },
    messageBytes: { $lte: messageBytesMax - bytes },
    ...(writeId && { 'messages.id': { $ne: writeId } }),
  };
  const update = {
    $push: { messages: message },
    $inc: { messageBytes: bytes },
    $set: { status: 'Active' as const, updatedAt: now },
  };
  return { filter, update };
}

/** Which of these replies' messages are there, and are so on the majority: some may have come with an earlier call. */
async function findStored(tickets: Tickets, replies: IdentifiedReply[]): Promise<Set<string>> {
  const ticketIds = replies.map(({ ticketId }) => ticketId);
  const isAmong = { $in: ['$$message.id', replies.map(({ messageId }) => messageId)] };
  const found = tickets.aggregate<{ ids: string[] }>(
    [
      { $match: { _id: { $in: ticketIds } } },
      { $project: { ours: { $filter: { input: '$messages', as: 'message', cond: isAmong } } } },
      { $project: { ids: '$ours.id' } },
    ],
    { readConcern: 'majority' },
  );
  return new Set((await found.toArray()).flatMap(({ ids }) => ids));
}
