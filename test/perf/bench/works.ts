/** What is measured: each work as a REST call, as a procedure and as a tool, for any customer. */
import type { Request } from 'autocannon';
import { type Customer, serverIdentifierOf } from './customers.ts';

export interface Work {
  name: string;
  title: string;
  /** What a right answer says. */
  status: number;
  who: 'readers' | 'writers' | 'staff' | 'unknown';
  /** Whether the servers refuse all but a first call of each key. */
  isLimited?: boolean;
  /** At most so many keys. */
  keysMax?: number;
  rest: RestCall;
  /** The same by tRPC and by MCP. */
  procedure?: string;
  /** Null: tools/list. */
  tool?: string | null;
  inputs?: (customer: Customer) => object[];
  /** Whether the values of an answer depend on when the process first asked for them. */
  isMeasured?: boolean;
}

interface RestCall {
  method: 'GET' | 'POST';
  /** The call of one input, as path and body. */
  of: (input: Record<string, unknown>) => { path: string; body?: object };
}

const get = (path: string): RestCall => ({ method: 'GET', of: () => ({ path }) });

const title = 'Lag since noon';
const message = 'Players time out every few minutes; it began after the update of this morning.';

/** How many of a writer's tickets are answered: many, so that none grows long. */
const repliedTickets = 10;

export const works: Work[] = [
  {
    ...{ name: 'catalog', title: 'GET /catalog/games', status: 200, who: 'readers' },
    rest: get('/catalog/games'),
    ...{ procedure: 'catalog.listGames', tool: 'list_games' },
  },
  {
    ...{ name: 'me', title: 'GET /me', status: 200, who: 'readers' },
    rest: get('/me'),
    ...{ procedure: 'account.me', tool: 'get_my_profile' },
  },
  {
    ...{ name: 'tickets', title: 'GET /tickets (20)', status: 200, who: 'readers' },
    rest: get('/tickets'),
    ...{ procedure: 'tickets.list', tool: 'list_my_tickets' },
  },
  {
    ...{ name: 'tickets-one-key', title: 'GET /tickets (20), one key', status: 200, who: 'readers' },
    ...{ rest: get('/tickets'), keysMax: 1 },
  },
  {
    ...{
      name: 'tickets-awaiting',
      title: 'GET /tickets?awaiting=customer (10)',
      status: 200,
      who: 'readers',
    },
    rest: get('/tickets?awaiting=customer'),
  },
  {
    ...{ name: 'ticket', title: 'GET /tickets/{id}, 2 messages', status: 200, who: 'readers' },
    rest: { method: 'GET', of: ({ ticket_id }) => ({ path: `/tickets/${ticket_id}` }) },
    inputs: ({ ticketIds }) => ticketIds.map((ticket_id) => ({ ticket_id })),
  },
  {
    ...{ name: 'staff-tickets', title: 'GET /admin/tickets (50)', status: 200, who: 'staff' },
    rest: get('/admin/tickets'),
  },
  {
    ...{ name: 'staff-awaiting', title: 'GET /admin/tickets?awaiting=staff (50)', status: 200, who: 'staff' },
    rest: get('/admin/tickets?awaiting=staff'),
  },
  {
    ...{ name: 'staff-status', title: 'GET /admin/tickets?status=Active (50)', status: 200, who: 'staff' },
    rest: get('/admin/tickets?status=Active'),
  },
  {
    ...{ name: 'create', title: 'POST /tickets', status: 201, who: 'writers' },
    rest: { method: 'POST', of: (input) => ({ path: '/tickets', body: input }) },
    ...{ procedure: 'tickets.create', tool: 'create_ticket' },
    inputs: () => [{ title, message }],
  },
  {
    ...{ name: 'reply', title: 'POST /tickets/{id}/reply', status: 201, who: 'writers' },
    rest: {
      method: 'POST',
      of: ({ ticket_id, ...body }) => ({ path: `/tickets/${ticket_id}/reply`, body }),
    },
    ...{ procedure: 'tickets.reply', tool: 'reply_to_ticket' },
    inputs: ({ ticketIds }) =>
      ticketIds.slice(0, repliedTickets).map((ticket_id) => ({ ticket_id, message })),
  },
  {
    ...{ name: 'power', title: 'POST /servers/{id}/power', status: 202, who: 'readers' },
    rest: {
      method: 'POST',
      of: ({ server_identifier, ...body }) => ({ path: `/servers/${server_identifier}/power`, body }),
    },
    ...{ procedure: 'servers.power', tool: 'set_server_power' },
    inputs: ({ userId }) => [{ server_identifier: serverIdentifierOf(userId), signal: 'restart' }],
    // Few, so that the panel is asked for their lists of servers in a turn's first moments only: with many, who is
    // quicker would find more of the lists that are kept for seconds, and seem quicker still.
    keysMax: 32,
  },
  {
    ...{ name: 'server', title: 'GET /servers/{id}, from cache', status: 200, who: 'readers' },
    rest: { method: 'GET', of: ({ server_identifier }) => ({ path: `/servers/${server_identifier}` }) },
    inputs: ({ userId }) => [{ server_identifier: serverIdentifierOf(userId) }],
    keysMax: 32, // few, so that the panel is asked in a turn's first moments only
  },
  {
    ...{ name: 'resources', title: 'GET /servers/{id}/resources, from cache', status: 200, who: 'readers' },
    rest: {
      method: 'GET',
      of: ({ server_identifier }) => ({ path: `/servers/${server_identifier}/resources` }),
    },
    inputs: ({ userId }) => [{ server_identifier: serverIdentifierOf(userId) }],
    ...{ keysMax: 32, isMeasured: true },
  },
  {
    ...{ name: 'states', title: 'GET /servers/states (20), from cache', status: 200, who: 'readers' },
    rest: get('/servers/states'),
    // Few: what is read again as the cache ends costs more than all calls of a turn.
    ...{ keysMax: 8, isMeasured: true },
  },
  {
    ...{
      name: 'tools-list',
      title: 'MCP tools/list, beside GET /catalog/games',
      status: 200,
      who: 'readers',
    },
    rest: get('/catalog/games'),
    tool: null,
  },
  {
    ...{ name: 'unknown-key', title: 'GET /me, 401: unknown key', status: 401, who: 'unknown' },
    rest: get('/me'),
  },
  {
    ...{ name: 'over-limit', title: 'GET /me, 429: over the limit', status: 429, who: 'readers' },
    rest: get('/me'),
    ...{ isLimited: true, keysMax: 96 }, // few, since the first call of each is let in
  },
];

/** Whether a work is about a server, which only a panel that knows the customers has. */
export const needsPanel = ({ name }: Work) => ['power', 'server', 'resources', 'states'].includes(name);

export type Protocol = 'rest' | 'trpc' | 'mcp';

/** The calls of one customer, which are several where there are several things to call about. */
export function callsOf(work: Work, protocol: Protocol, customer: Customer): Request[] {
  const inputs = work.inputs?.(customer) ?? [{}];
  return inputs.map((input) => addKey(spoken[protocol](work, input as Record<string, unknown>), customer));
}

export const speaks = (work: Work, protocol: Protocol): boolean =>
  protocol === 'rest' || (protocol === 'trpc' ? work.procedure : work.tool) !== undefined;

/** The status of a right answer: tools are answered with 200, and so are procedures. */
export const statusOf = (work: Work, protocol: Protocol): number => (protocol === 'rest' ? work.status : 200);

type Speak = (work: Work, input: Record<string, unknown>) => Request;

const spoken: Record<Protocol, Speak> = {
  rest({ rest: { method, of } }, input) {
    const { path, body } = of(input);
    return withBody({ method, path: `/api/v1${path}` }, body);
  },
  trpc({ rest: { method }, procedure = '' }, input) {
    const path = `/trpc/${procedure}`;
    return method === 'GET' ? { method, path } : withBody({ method, path }, input);
  },
  mcp({ tool = null }, input) {
    const call = { method: 'tools/call', params: { name: tool, arguments: input } };
    const message = { jsonrpc: '2.0', id: 1, ...(tool === null ? { method: 'tools/list' } : call) };
    const request = withBody({ method: 'POST', path: '/mcp' }, message);
    const accept = 'application/json, text/event-stream';
    return { ...request, headers: { ...request.headers, accept, 'mcp-protocol-version': '2025-06-18' } };
  },
};

const withBody = (request: Request, body?: object): Request =>
  body
    ? { ...request, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    : request;

const addKey = (request: Request, { secret }: Customer): Request => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${secret}` },
});
