/** The endpoints of the Fastify peers, and the contract's words for what the store keeps; Dates are left to JSON. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GameRecord } from '../../../../models/game.ts';
import type { TicketFilter } from '../../../../models/ticket/list.ts';
import type { NumberedMessage, TicketDetail } from '../../../../models/ticket/read.ts';
import type { TicketSummary } from '../../../../models/ticket/store.ts';
import type { UserRecord } from '../../../../models/user.ts';
import type {
  ListPurpose,
  PanelResources,
  PanelServer,
  PowerSignal,
} from '../../../../routers/panel-port.ts';
import { refusals } from './common.ts';
import type { PanelClient, PanelReads } from './panel-client.ts';
import { schemas } from './schemas.ts';
import type { ConversationStore, KeyOwner, Store } from './store.ts';

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

const listedMax = 200;

function addTicketReads(api: FastifyInstance, store: Store & ConversationStore): void {
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

type ServerRequest = FastifyRequest<{ Params: { server_identifier: string } }>;

function addServerReads(api: FastifyInstance, store: Store, reads: PanelReads): void {
  async function listOwned(request: FastifyRequest, purpose: ListPurpose): Promise<readonly PanelServer[]> {
    const { panelUserId = null } = (await store.findUser(ownerOf(request).userId)) ?? {};
    return panelUserId === null ? [] : reads.listServers(panelUserId, request.id, purpose);
  }
  async function findOwned(request: ServerRequest, purpose: ListPurpose): Promise<PanelServer> {
    const owned = await listOwned(request, purpose);
    const server = owned.find(({ identifier }) => identifier === request.params.server_identifier);
    if (!server) throw refusals.notFound('Server');
    return server;
  }
  const reading = options('server', 'servers.get', 'read:account');
  api.get('/servers/:server_identifier', reading, async (request: ServerRequest) => ({
    server: presentServer(await findOwned(request, 'detail')),
  }));
  const measuring = options('resources', 'servers.resources', 'read:account');
  api.get('/servers/:server_identifier/resources', measuring, async (request: ServerRequest) => {
    const { identifier } = await findOwned(request, 'ownership');
    return { resources: presentResources(await reads.getResources(identifier, request.id)) };
  });
  api.get('/servers/states', options('states', 'servers.states', 'read:account'), async (request) => {
    const servers = await listOwned(request, 'detail');
    const states = await reads.getStates(servers, request.id);
    return {
      states: states.map((resources, index) => presentState(resources, servers[index])),
      summary: {
        total: servers.length,
        running: states.filter(({ state }) => state === 'running').length,
      },
    };
  });
}

const presentServer = ({ limits, allocations, ...server }: PanelServer) => ({
  id: server.id,
  uuid: server.uuid,
  identifier: server.identifier,
  name: server.name,
  description: server.description,
  type: server.kind,
  is_suspended: server.isSuspended,
  limits: { ...limits, oom_disabled: limits.oomDisabled },
  feature_limits: server.featureLimits,
  panel_url: server.panelUrl,
  created_at: server.createdAt,
  updated_at: server.updatedAt,
  status: server.status,
  allocations: allocations.map(({ isDefault, ...address }) => ({ ...address, is_default: isDefault })),
});

const presentState = ({ state, reason, measuredAt }: PanelResources, server: PanelServer | undefined) => ({
  ...{ server: server?.identifier, name: server?.name },
  ...{ state, reason, measured_at: new Date(measuredAt) },
});

const presentResources = (resources: PanelResources) => ({
  state: resources.state,
  reason: resources.reason,
  memory_bytes: resources.memoryBytes,
  cpu_percent: resources.cpuPercent,
  disk_bytes: resources.diskBytes,
  network_rx_bytes: resources.networkRxBytes,
  network_tx_bytes: resources.networkTxBytes,
  uptime_ms: resources.uptimeMs,
  measured_at: new Date(resources.measuredAt),
});

const options = (schema: keyof typeof schemas, operation: string, scope: string) => ({
  schema: schemas[schema],
  config: { operation, scope },
});

function ownerOf({ owner }: FastifyRequest): KeyOwner {
  if (!owner) throw refusals.missingKey();
  return owner;
}

const presentGame = ({ _id, isActive, ...game }: GameRecord) => ({ slug: _id, ...game });

const presentMe = (user: Omit<UserRecord, 'passwordHash'>) => ({
  id: user._id,
  email: user.email,
  first_name: user.firstName,
  last_name: user.lastName,
  nickname: user.nickname,
  admin: user.isAdmin,
  chat_id: user.chatId,
  chat_username: user.chatUsername,
  chat_avatar_url: user.chatAvatarUrl,
});

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

const presentCreated = ({ _id, subject, status }: TicketSummary) => ({ id: _id, subject, status });
