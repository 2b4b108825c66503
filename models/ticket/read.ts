/** Reads conversations page by page. A message's position in the ticket, counted from 1, is its number and its cursor. */
import type { Connection } from 'mongoose';
import { pageBytesMax, sharedTextBytesMax } from '../bounds.ts';

import { findSingleBatch, groupBy } from '../support/reads.ts';
import type { TicketAuthor, TicketMessage, TicketRecord } from './schema.ts';
import { summaryFields, type TicketSummary } from './schema.ts';

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
export type TicketDetail = TicketSummary &
  Pick<
    TicketRecord,
    | 'userId'
    | 'serviceName'
    | 'serviceReference'
    | 'serviceType'
    | 'lastReplyBy'
    | 'messageCount'
    | 'assigneeId'
    | 'isUnread'
  >;

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
  assigneeId: 1,
  isUnread: 1,
  messageCount: 1,
} as const;

export interface ConversationRequest extends PageRequest {
  id: number;
  /** The owner, where only the owner may read it; undefined: any user's ticket. */
  userId: number | undefined;
}

/**
 * A conversation per request, in the same order; null where there is no such ticket. Concurrent requests for the same page
 * are read in one call, but for tickets with much text.
 */
export async function readConversations(
  connection: Connection,
  requests: ConversationRequest[],
): Promise<(Conversation | null)[]> {
  const readings = requests.map((request) => ({ request, found: null as Conversation | null }));
  const groups = groupBy(readings, ({ request: { after, limit, userId } }) =>
    [after, limit, userId === undefined].join(),
  );
  const read = async (group: typeof readings) => {
    const found = await readTogether(
      connection,
      group.map(({ request }) => request),
    );
    group.forEach((reading, index) => {
      reading.found = found[index] ?? null;
    });
  };
  await Promise.all(groups.map(read));
  return readings.map(({ found }) => found);
}

type StoredPage = TicketDetail & Pick<TicketRecord, 'messages'>;

/** What a page has of a message in addition to its text; a nickname has up to 200 characters. */
const messageOverheadBytes = 512;

const pageOf = ({ after, limit }: PageRequest) => ({
  // It takes 32-bit positions.
  $slice: ['$messages', Math.min(after, 2 ** 31 - 1), limit],
});

/** All for the same page, and all for owners or all for staff. */
async function readTogether(
  connection: Connection,
  requests: ConversationRequest[],
): Promise<(Conversation | null)[]> {
  const [first, ...others] = requests;
  if (!first || others.length === 0)
    return Promise.all(requests.map((request) => readAlone(connection, request)));
  const ids = [...new Set(requests.map(({ id }) => id))];
  const owners = [...new Set(requests.flatMap(({ userId }) => userId ?? []))];
  const isShared = { $lte: ['$messageBytes', sharedTextBytesMax] };
  const found = await findSingleBatch<Omit<StoredPage, 'messages'> & { messages: TicketMessage[] | null }>(
    connection,
    {
      find: 'tickets',
      filter: { _id: { $in: ids }, ...(owners.length > 0 && { userId: { $in: owners } }) },
      projection: { ...detailFields, messages: { $cond: [isShared, pageOf(first), null] } },
      limit: ids.length,
    },
  );
  const ticketOf = new Map(found.map((ticket) => [ticket._id, ticket]));
  const conversationOf = (request: ConversationRequest) => {
    const ticket = ticketOf.get(request.id);
    if (!ticket || (request.userId ?? ticket.userId) !== ticket.userId) return null;
    const { messages, ...facts } = ticket;
    return messages ? toConversation({ ...facts, messages }, request) : readAlone(connection, request);
  };
  return Promise.all(requests.map(conversationOf));
}

async function readAlone(
  connection: Connection,
  { id, userId, ...page }: ConversationRequest,
): Promise<Conversation | null> {
  const [found] = await findSingleBatch<StoredPage>(connection, {
    find: 'tickets',
    filter: { _id: id, ...(userId !== undefined && { userId }) },
    projection: { ...detailFields, messages: pageOf(page) },
    limit: 1,
  });
  return found ? toConversation(found, page) : null;
}

function toConversation({ messages, ...ticket }: StoredPage, { after }: PageRequest): Conversation {
  return {
    ticket,
    messages: fittingOf(messages).map(({ author = 'customer', userId, text, createdAt }, index) => ({
      number: after + index + 1,
      author,
      userId,
      text,
      createdAt,
    })),
  };
}

/** Those of them that fit into a page; the first always does. */
function fittingOf(messages: TicketMessage[]): TicketMessage[] {
  // JSON writes a control character in six bytes, as `\\u0001`.
  const bytesAtMost = messages.reduce((bytes, { text }) => bytes + text.length * 6 + messageOverheadBytes, 0);
  if (bytesAtMost <= pageBytesMax) return messages;
  let bytes = 0;
  const end = messages.findIndex(({ text }) => {
    bytes += Buffer.byteLength(JSON.stringify(text)) + messageOverheadBytes;
    return bytes > pageBytesMax;
  });
  return end === -1 ? messages : messages.slice(0, Math.max(1, end));
}
