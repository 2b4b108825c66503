/** Reads conversations page by page. A message's position in the ticket, counted from 1, is its number and its cursor. */
import type { Connection } from 'mongoose';
import { pageBytesMax } from '../bounds.ts';
import { findSingleBatch } from '../support/reads.ts';
import { summaryFields, type TicketAuthor, type TicketMessage, type TicketRecord } from './schema.ts';

export interface ConversationPage {
  id: number;
  /** The owner, if only the owner may read it. */
  userId?: number;
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

export interface Conversation {
  ticket: TicketDetail;
  messages: NumberedMessage[];
}

export const detailFields = {
  ...summaryFields,
  userId: 1,
  serviceName: 1,
  serviceReference: 1,
  serviceType: 1,
  lastReplyBy: 1,
  assigneeId: 1,
  isUnread: 1,
  messageCount: 1,
} as const;

export type TicketDetail = Pick<TicketRecord, '_id' | keyof typeof detailFields>;

/** A message's bytes in a page besides its text; a nickname has up to 200 characters. */
const messageOverheadBytes = 512;

export async function readConversation(
  connection: Connection,
  { id, userId, after, limit }: ConversationPage,
): Promise<Conversation | null> {
  // `$slice` takes 32-bit positions.
  const messages = { $slice: ['$messages', Math.min(after, 2 ** 31 - 1), limit] };
  const [found] = await findSingleBatch<TicketDetail & Pick<TicketRecord, 'messages'>>(connection, {
    find: 'tickets',
    filter: { _id: id, ...(userId !== undefined && { userId }) },
    projection: { ...detailFields, messages },
    limit: 1,
  });
  if (!found) return null;
  const { messages: page, ...ticket } = found;
  return {
    ticket,
    messages: fittingOf(page).map((message, index) => toNumbered(message, after + index + 1)),
  };
}

export const toNumbered = (
  { author = 'customer', userId, text, createdAt }: TicketMessage,
  number: number,
): NumberedMessage => ({ number, author, userId, text, createdAt });

/** The messages that fit into a page; always at least the first. */
function fittingOf(messages: TicketMessage[]): TicketMessage[] {
  // JSON writes a control character in six bytes, as `\u0001`.
  const bytesAtMost = messages.reduce((bytes, { text }) => bytes + text.length * 6 + messageOverheadBytes, 0);
  if (bytesAtMost <= pageBytesMax) return messages;
  let bytes = 0;
  const end = messages.findIndex(({ text }) => {
    bytes += Buffer.byteLength(JSON.stringify(text)) + messageOverheadBytes;
    return bytes > pageBytesMax;
  });
  return end === -1 ? messages : messages.slice(0, Math.max(1, end));
}
