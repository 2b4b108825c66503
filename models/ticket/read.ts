/** Reads one conversation page by page. A message's position in the ticket, counted from 1, is its number and its cursor. */
import type { Connection } from 'mongoose';
import { findSingleBatch } from '../support/find-single-batch.ts';
import { summaryFields, type TicketSummary } from './list.ts';
import type { TicketAuthor, TicketRecord } from './schema.ts';

export interface PageRequest {
  /** Only messages with a higher number. */
  after: number;
  limit: number;
}

/** A message without its stored id, which is internal. */
export interface NumberedMessage {
  number: number;
  author: TicketAuthor;
  userId: number;
  text: string;
  createdAt: Date;
}

/** A ticket with facts about its conversation. */
export interface TicketDetail
  extends TicketSummary,
    Pick<TicketRecord, 'userId' | 'serviceName' | 'serviceReference' | 'serviceType'> {
  lastReplyBy: TicketAuthor;
  messageCount: number;
}

export interface Conversation {
  ticket: TicketDetail;
  messages: NumberedMessage[];
}

/** Projection of a TicketDetail. */
export const detailFields = {
  ...summaryFields,
  userId: 1,
  serviceName: 1,
  serviceReference: 1,
  serviceType: 1,
  lastReplyBy: 1,
  messageCount: { $size: '$messages' },
} as const;

export const withLastReply = <Ticket extends { lastReplyBy?: TicketAuthor }>(ticket: Ticket) => ({
  ...ticket,
  lastReplyBy: ticket.lastReplyBy ?? ('customer' as const),
});

type StoredPage = Omit<TicketDetail, 'lastReplyBy'> & Pick<TicketRecord, 'messages' | 'lastReplyBy'>;

/** MongoDB's $slice takes 32-bit positions. */
const positionMax = 2 ** 31 - 1;

/** @param filter names one ticket, and its owner where only the owner may read it */
export async function readConversation(
  connection: Connection,
  filter: { _id: number; userId?: number },
  { after, limit }: PageRequest,
): Promise<Conversation | null> {
  const messages = { $slice: ['$messages', Math.min(after, positionMax), limit] };
  const projection = { ...detailFields, messages };
  const [found] = await findSingleBatch<StoredPage>(connection, {
    find: 'tickets',
    filter,
    projection,
    limit: 1,
  });
  if (!found) return null;
  const { messages: stored, ...ticket } = found;
  return {
    ticket: withLastReply(ticket),
    messages: stored.map(({ author = 'customer', userId, text, createdAt }, index) => ({
      number: after + index + 1,
      author,
      userId,
      text,
      createdAt,
    })),
  };
}
