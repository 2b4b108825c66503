/** The endpoints of the Fastify peers. */
import type { FastifyInstance } from 'fastify';
import type { PowerSignal } from '../../../../routers/panel-port.ts';
import { options, ownerOf } from './fastify-options.ts';
import { addServerReads } from './fastify-servers.ts';
import { addTicketReads } from './fastify-tickets.ts';
import type { PanelClient } from './panel-client.ts';
import { presentCreated, presentGame, presentMe } from './present.ts';
import { refusals } from './refusal.ts';
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
  api.get('/catalog/games', options('games', 'catalog.listGames', 'read:catalog'), async () => ({
    games: (await store.listGames()).map(presentGame),
  }));
  api.get('/me', options('me', 'account.me', 'read:account'), async (request) => {
    const user = await store.findUser(ownerOf(request).userId);
    if (!user) throw refusals.notFound('User');
    return { user: presentMe(user) };
  });
}

interface TicketBody {
  title: string;
  message: string;
  service_name?: string | null;
  service_reference?: string | null;
  service_type?: string | null;
}

function addWrites(api: FastifyInstance, { store }: Parts): void {
  const creating = options('create', 'tickets.create', 'write:tickets');
  api.post<{ Body: TicketBody }>('/tickets', creating, async (request, reply) => {
    const { title, message, service_name, service_reference, service_type } = request.body;
    const { userId, keyId } = ownerOf(request);
    const service = {
      serviceName: service_name ?? null,
      serviceReference: service_reference ?? null,
      serviceType: service_type ?? null,
    };
    const now = new Date();
    const ticket = await store.openTicket({ ...service, userId, keyId, subject: title, text: message, now });
    reply.code(201);
    return { ticket: presentCreated(ticket) };
  });
  const replying = options('reply', 'tickets.reply', 'write:tickets');
  type Reply = { Params: { ticket_id: number }; Body: { message: string } };
  api.post<Reply>('/tickets/:ticket_id/reply', replying, async (request, reply) => {
    const { ticket_id } = request.params;
    const { userId, keyId } = ownerOf(request);
    const text = request.body.message;
    const outcome = await store.reply({ ticketId: ticket_id, userId, keyId, text, now: new Date() });
    if (outcome === 'not_found') throw refusals.notFound('Ticket');
    if (outcome !== 'replied') throw refusals.closed();
    reply.code(201);
    return { ticket_id, status: 'Active' };
  });
}

function addPower(api: FastifyInstance, { store, panel }: Parts): void {
  const powering = options('power', 'servers.power', 'write:servers');
  type Power = { Params: { server_identifier: string }; Body: { signal: PowerSignal } };
  api.post<Power>('/servers/:server_identifier/power', powering, async (request, reply) => {
    const { server_identifier } = request.params;
    const { signal } = request.body;
    const { panelUserId = null } = (await store.findUser(ownerOf(request).userId)) ?? {};
    if (panelUserId === null || !(await panel.owns(panelUserId, server_identifier, request.id)))
      throw refusals.notFound('Server');
    await panel.sendPower(server_identifier, signal, request.id);
    reply.code(202);
    return { server: server_identifier, signal, status: 'accepted' };
  });
}
