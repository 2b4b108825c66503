/** The reads of tickets of the Fastify peers: lists, and one ticket with its messages. */
import type { FastifyInstance } from 'fastify';
import type { TicketFilter } from '../../../../models/ticket/search.ts';
import { options, ownerOf } from './fastify-options.ts';
import { presentDetail, presentMessage, presentTicket } from './present.ts';
import { refusals } from './refusal.ts';
import type { ConversationStore, Store } from './store.ts';

const listedMax = 200;

export function addTicketReads(api: FastifyInstance, store: Store & ConversationStore): void {
  type List = { Querystring: Partial<Omit<TicketFilter, 'userId'>> };
  api.get<List>('/tickets', options('tickets', 'tickets.list', 'read:account'), async (request) => {
    const { userId } = ownerOf(request);
    const { query } = request;
    const tickets =
      Object.keys(query).length > 0
        ? await store.searchTickets({ ...query, userId, limit: query.limit ?? listedMax })
        : await store.listTickets(userId);
    return { tickets: tickets.map(presentTicket) };
  });
  const reading = options('ticket', 'tickets.get', 'read:account');
  type Read = { Params: { ticket_id: number }; Querystring: { after: number; limit: number } };
  api.get<Read>('/tickets/:ticket_id', reading, async (request) => {
    const { query, params } = request;
    const found = await store.readTicket(ownerOf(request).userId, params.ticket_id, query);
    if (!found) throw refusals.notFound('Ticket');
    const { ticket, messages } = found;
    const authors = [...new Set(messages.map(({ userId }) => userId))];
    const nicknames = await store.findNicknames(authors);
    return {
      ticket: presentDetail(ticket),
      messages: messages.map((message) => presentMessage(message, nicknames.get(message.userId) ?? null)),
      has_more: query.after + messages.length < ticket.messageCount,
    };
  });
}
