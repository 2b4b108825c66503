/** The shapes that Fastify compiles into parsers and serialisers. */
const string = { type: 'string' };
const nullable = { type: 'string', nullable: true };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };
const moment = { type: 'string', format: 'date-time' };

const object = (properties: Record<string, object>) => ({ type: 'object', properties });
const list = (items: object) => ({ type: 'array', items });

const Plan = object({
  title: string,
  subtitle: string,
  price: string,
  period: string,
  popular: boolean,
  features: list(string),
  billingId: nullable,
});

const Game = object({
  slug: string,
  title: string,
  description: nullable,
  shortDesc: nullable,
  category: nullable,
  icon: nullable,
  cover: nullable,
  banner: nullable,
  pricingBackground: nullable,
  priceFrom: nullable,
  plans: list(Plan),
});

const Me = object({
  id: integer,
  email: string,
  first_name: nullable,
  last_name: nullable,
  nickname: nullable,
  admin: boolean,
  chat_id: nullable,
  chat_username: nullable,
  chat_avatar_url: nullable,
});

const Ticket = object({
  id: integer,
  subject: string,
  status: string,
  created_at: moment,
  updated_at: moment,
});
const TicketDetail = object({
  ...Ticket.properties,
  ...{ last_reply_by: string, message_count: integer },
  ...{ service_name: nullable, service_reference: nullable, service_type: nullable },
});
const Message = object({
  ...{ number: integer, author: string, name: string, message: string, created_at: moment },
});
const Created = object({ id: integer, subject: string, status: string });

const amount = { type: 'number', nullable: true };

const Server = object({
  id: integer,
  uuid: string,
  identifier: string,
  name: string,
  description: string,
  type: string,
  is_suspended: boolean,
  limits: object({
    ...{ memory: amount, swap: amount, disk: amount, io: amount, cpu: amount },
    ...{ threads: nullable, oom_disabled: { type: 'boolean', nullable: true } },
  }),
  feature_limits: object({ databases: amount, allocations: amount, backups: amount }),
  panel_url: nullable,
  created_at: nullable,
  updated_at: nullable,
  status: nullable,
  allocations: list(object({ ip: string, alias: nullable, port: integer, is_default: boolean })),
});

const Resources = object({
  ...{ state: string, reason: nullable, memory_bytes: amount, cpu_percent: amount, disk_bytes: amount },
  ...{ network_rx_bytes: amount, network_tx_bytes: amount, uptime_ms: amount, measured_at: moment },
});

const States = object({
  states: list(
    object({ server: string, name: string, state: string, reason: nullable, measured_at: moment }),
  ),
  summary: object({ total: integer, running: integer }),
});

const filled = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength, pattern: '\\S' });
const serviceText = { type: 'string', nullable: true, maxLength: 200 };
const identifier = { type: 'string', minLength: 1, maxLength: 100 };

const strict = (required: string[], properties: Record<string, object>) => ({
  ...object(properties),
  additionalProperties: false,
  required,
});

const newTicket = strict(['title', 'message'], {
  title: filled(200),
  message: filled(10_000),
  service_name: serviceText,
  service_reference: serviceText,
  service_type: serviceText,
});

const between = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum });
const positive = { type: 'integer', minimum: 1 };
const ticketParams = strict(['ticket_id'], { ticket_id: positive });
const ticketFilter = strict([], {
  status: { type: 'string', enum: ['New', 'Active', 'Closed', 'Archived'] },
  awaiting: { type: 'string', enum: ['staff', 'customer'] },
  before: positive,
  limit: between(1, 200),
});
const messagePage = strict([], {
  after: { type: 'integer', minimum: 0, default: 0 },
  limit: { ...between(1, 100), default: 50 },
});

const statesPage = strict([], { limit: { ...between(1, 100), default: 100 }, after: identifier });
const serverParams = strict(['server_identifier'], { server_identifier: identifier });

export const schemas = {
  games: { response: { 200: object({ games: list(Game) }) } },
  me: { response: { 200: object({ user: Me }) } },
  tickets: { querystring: ticketFilter, response: { 200: object({ tickets: list(Ticket) }) } },
  ticket: {
    params: ticketParams,
    querystring: messagePage,
    response: { 200: object({ ticket: TicketDetail, messages: list(Message), has_more: boolean }) },
  },
  server: { params: serverParams, response: { 200: object({ server: Server }) } },
  states: { querystring: statesPage, response: { 200: States } },
  resources: { params: serverParams, response: { 200: object({ resources: Resources }) } },
  create: { body: newTicket, response: { 201: object({ ticket: Created }) } },
  reply: {
    params: ticketParams,
    body: strict(['message'], { message: filled(10_000) }),
    response: { 201: object({ ticket_id: integer, status: string }) },
  },
  power: {
    params: serverParams,
    body: strict(['signal'], { signal: { type: 'string', enum: ['start', 'stop', 'restart'] } }),
    response: { 202: object({ server: string, signal: string, status: string }) },
  },
};
