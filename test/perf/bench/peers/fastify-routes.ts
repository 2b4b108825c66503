/** The endpoints of the Fastify peers, and the contract's words for what the store keeps; Dates are left to JSON. */
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { TicketFilter } from '../../../../models/ticket/list.ts';
import type { NumberedMessage, TicketDetail } from '../../../../models/ticket/read.ts';
import type { TicketSummary } from '../../../../models/ticket/store.ts';
import type { PowerSignal } from '../../../../routers/panel-port.ts';
import { presentGame } from '../../../../routers/schemas/game.ts';
import { presentMe } from '../../../../routers/schemas/me.ts';
import {
  presentTicketCreated,
  TicketCreateRequest,
  toNewTicket,
} from '../../../../routers/schemas/ticket.ts';
import { refusals } from './common.ts';
import { routeOf } from './contract.ts';
import { addServerReads } from './fastify-server-routes.ts';
import { ownerOf } from './owner.ts';
import type { PanelClient } from './panel-client.ts';
import type { ConversationStore, Store } from './store.ts';

export interface Parts {
  store: Store & ConversationStore;
  panel: PanelClient;
}

export function addRoutes(app: FastifyInstance, parts: Parts): void {
  app.register(
    async (api) => {
      addReads(api, parts);
      addTicketReads(api, parts.store);
      addWrites(api, parts);
      addPower(api, parts);
      if (parts.panel.reads) addServerReads(api, parts.store, parts.panel.reads);
    },
    { prefix: '/api/v1' },
  );
}

function addReads(api: FastifyInstance, { store }: Parts): void {
  api.route({
    ...routeOf('catalog.listGames'),
    handler: async () => ({ games: (await store.listGames()).map(presentGame) }),
  });
  api.route({
    ...routeOf('account.me'),
    async handler(request) {
      const user = await store.findUser(ownerOf(request).userId);
      if (!user) throw refusals.notFound('User');
      return { user: presentMe(user) };
    },
  });
}

function addWrites(api: FastifyInstance, { store }: Parts): void {
  api.route<{ Body: z.infer<typeof TicketCreateRequest> }>({
    ...routeOf('tickets.create', TicketCreateRequest),
    async handler(request, reply) {
      const { userId, keyId } = ownerOf(request);
      const now = new Date();
      const ticket = await store.openTicket({ ...toNewTicket(request.body), userId, keyId, now });
      reply.code(201);
      return { ticket: presentTicketCreated(ticket) };
    },
  });
  api.route<{ Params: { ticket_id: number }; Body: { message: string } }>({
    ...routeOf('tickets.reply'),
    async handler(request, reply) {
      const { ticket_id } = request.params;
      const { userId, keyId } = ownerOf(request);
      const text = request.body.message;
      const outcome = await store.reply({ ticketId: ticket_id, userId, keyId, text, now: new Date() });
      if (outcome === 'not_found') throw refusals.notFound('Ticket');
      if (outcome !== 'replied') throw refusals.closed();
      reply.code(201);
      return { ticket_id, status: 'Active' };
    },
  });
}

function addPower(api: FastifyInstance, { store, panel }: Parts): void {
  api.route<{ Params: { server_identifier: string }; Body: { signal: PowerSignal } }>({
    ...routeOf('servers.power'),
    async handler(request, reply) {
      const { server_identifier } = request.params;
      const { signal } = request.body;
      const { panelUserId = null } = (await store.findUser(ownerOf(request).userId)) ?? {};
      const server =
        panelUserId === null ? null : await panel.findOwned(panelUserId, server_identifier, request.id);
      if (!server) throw refusals.notFound('Server');
      await panel.sendPower(server, signal, request.id);
      reply.code(202);
      return { server: server_identifier, signal, status: 'accepted' };
    },
  });
}

const listedMax = 200;

function addTicketReads(api: FastifyInstance, store: Store & ConversationStore): void {
  api.route<{ Querystring: Partial<Omit<TicketFilter, 'userId'>> }>({
    ...routeOf('tickets.list'),
    async handler(request) {
      const { userId } = ownerOf(request);
      const { query } = request;
      if (Object.keys(query).length === 0)
        return { tickets: (await store.listTickets(userId)).map(presentTicket) };
      const found = await store.searchTickets({ ...query, userId, limit: query.limit ?? listedMax });
      return { tickets: found.map(presentDetail) };
    },
  });
  api.route<{ Params: { ticket_id: number }; Querystring: { after: number; limit: number } }>({
    ...routeOf('tickets.get'),
    async handler(request) {
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
    },
  });
}

const presentTicket = (ticket: TicketSummary) => ({
  id: ticket._id,
  subject: ticket.subject,
  status: ticket.status,
  created_at: ticket.createdAt,
  updated_at: ticket.updatedAt,
});

const presentDetail = (ticket: TicketDetail) => ({
  ...presentTicket(ticket),
  last_reply_by: ticket.lastReplyBy,
  message_count: ticket.messageCount,
  service_name: ticket.serviceName,
  service_reference: ticket.serviceReference,
  service_type: ticket.serviceType,
});

const presentMessage = (message: NumberedMessage, nickname: string | null) => ({
  number: message.number,
  author: message.author,
  name: nickname ?? (message.author === 'staff' ? 'Support' : 'Customer'),
  message: message.text,
  created_at: message.createdAt,
});
