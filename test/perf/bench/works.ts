/** What is measured: each work as a REST call, as a procedure and as a tool, for any customer. */
import type { Request } from 'autocannon';
import type { Operation } from '../../../bridge/operations.ts';
import { restRequestOf, rows } from '../../support/samples.ts';
import { type Customer, serverIdentifierOf } from './customers.ts';

export type Protocol = 'rest' | 'trpc' | 'mcp';

export interface Work extends Omit<Row, 'operation' | 'status'> {
  operation: Operation;
  who: 'readers' | 'writers' | 'staff' | 'unknown';
  /** What a right answer says. */
  status: number;
}

interface Row {
  name: string;
  title: string;
  /** Its name. */
  operation: string;
  /** Readers unless told otherwise. */
  who?: Work['who'];
  /** The operation's unless told otherwise; at 429 the servers refuse all but a first call of each key. */
  status?: 401 | 429;
  /** All unless told otherwise. */
  protocols?: Protocol[];
  /** At most so many keys. */
  keysMax?: number;
  /** Whether MCP asks for the list of tools in place of the operation. */
  isToolsList?: boolean;
  inputs?: (customer: Customer) => Record<string, unknown>[];
  /** Whether the values of an answer depend on when the process first asked for them. */
  isMeasured?: boolean;
}

/** How many of a writer's tickets are answered: many, so that none grows long. */
const repliedTickets = 10;

const message = 'Players time out every few minutes; it began after the update of this morning.';

const serverOf = ({ userId }: Customer) => ({ server_identifier: serverIdentifierOf(userId) });

const table: Row[] = [
  { name: 'catalog', title: 'GET /catalog/games', operation: 'catalog.listGames' },
  { name: 'me', title: 'GET /me', operation: 'account.me' },
  { name: 'tickets', title: 'GET /tickets (20)', operation: 'tickets.list' },
  {
    ...{ name: 'tickets-one-key', title: 'GET /tickets (20), one key', operation: 'tickets.list' },
    ...{ protocols: ['rest'], keysMax: 1 },
  },
  {
    ...{ name: 'tickets-awaiting', title: 'GET /tickets?awaiting=customer (10)', operation: 'tickets.list' },
    ...{ protocols: ['rest'], inputs: () => [{ awaiting: 'customer' }] },
  },
  {
    ...{ name: 'ticket', title: 'GET /tickets/{id}, 2 messages', operation: 'tickets.get' },
    ...{ protocols: ['rest'], inputs: ({ ticketIds }) => ticketIds.map((ticket_id) => ({ ticket_id })) },
  },
  {
    ...{ name: 'staff-tickets', title: 'GET /admin/tickets (50)', operation: 'admin.listTickets' },
    ...{ who: 'staff', protocols: ['rest'] },
  },
  {
    ...{ name: 'staff-awaiting', title: 'GET /admin/tickets?awaiting=staff (50)' },
    ...{ operation: 'admin.listTickets', who: 'staff', protocols: ['rest'] },
    inputs: () => [{ awaiting: 'staff' }],
  },
  {
    ...{ name: 'staff-status', title: 'GET /admin/tickets?status=Active (50)' },
    ...{ operation: 'admin.listTickets', who: 'staff', protocols: ['rest'] },
    inputs: () => [{ status: 'Active' }],
  },
  {
    ...{ name: 'create', title: 'POST /tickets', operation: 'tickets.create', who: 'writers' },
    inputs: () => [{ title: 'Lag since noon', message }],
  },
  {
    ...{ name: 'reply', title: 'POST /tickets/{id}/reply', operation: 'tickets.reply', who: 'writers' },
    inputs: ({ ticketIds }) =>
      ticketIds.slice(0, repliedTickets).map((ticket_id) => ({ ticket_id, message })),
  },
  {
    ...{ name: 'power', title: 'POST /servers/{id}/power', operation: 'servers.power' },
    inputs: (customer) => [{ ...serverOf(customer), signal: 'restart' }],
    // Few, so that the panel is asked for their lists of servers in a turn's first moments only: with many, who is
    // quicker would find more of the lists that are kept for seconds, and seem quicker still.
    keysMax: 32,
  },
  {
    ...{ name: 'server', title: 'GET /servers/{id}, from cache', operation: 'servers.get' },
    ...{ protocols: ['rest'], inputs: (customer) => [serverOf(customer)] },
    keysMax: 32, // few, so that the panel is asked in a turn's first moments only
  },
  {
    ...{ name: 'resources', title: 'GET /servers/{id}/resources, from cache' },
    ...{ operation: 'servers.resources', protocols: ['rest'], inputs: (customer) => [serverOf(customer)] },
    ...{ keysMax: 32, isMeasured: true },
  },
  {
    ...{ name: 'states', title: 'GET /servers/states (20), from cache', operation: 'servers.states' },
    // Few: what is read again as the cache ends costs more than all calls of a turn.
    ...{ protocols: ['rest'], keysMax: 8, isMeasured: true },
  },
  {
    ...{ name: 'files', title: 'GET /servers/{id}/files (20)', operation: 'servers.files.list' },
    ...{ protocols: ['rest'], keysMax: 32, inputs: (customer) => [serverOf(customer)] },
  },
  {
    ...{ name: 'file', title: 'GET /servers/{id}/files/content (2 KiB)', operation: 'servers.files.read' },
    ...{ protocols: ['rest'], keysMax: 32 },
    inputs: (customer) => [{ ...serverOf(customer), file: '/server.properties' }],
  },
  {
    ...{ name: 'tools-list', title: 'MCP tools/list, beside GET /catalog/games' },
    ...{ operation: 'catalog.listGames', protocols: ['rest', 'mcp'], isToolsList: true },
  },
  {
    ...{ name: 'unknown-key', title: 'GET /me, 401: unknown key', operation: 'account.me' },
    ...{ who: 'unknown', status: 401, protocols: ['rest'] },
  },
  {
    ...{ name: 'over-limit', title: 'GET /me, 429: over the limit', operation: 'account.me' },
    ...{ status: 429, protocols: ['rest'], keysMax: 96 }, // few, since the first call of each is let in
  },
];

export const works: Work[] = table.map((row) => {
  const operation = rows.find(({ name }) => name === row.operation);
  if (!operation) throw new Error(`There is no operation ${row.operation}`);
  return { who: 'readers', status: operation.status, ...row, operation };
});

export function workNamed(name: string): Work {
  const work = works.find((each) => each.name === name);
  if (!work) throw new Error(`There is no work ${name}`);
  return work;
}

/** Whether a work is about a server, which only a panel that knows the customers has. */
export const needsPanel = ({ operation }: Work) => operation.name.startsWith('servers.');

/** The calls of one customer, which are several where there are several things to call about. */
export function callsOf(work: Work, protocol: Protocol, customer: Customer): Request[] {
  const inputs = work.inputs?.(customer) ?? [{}];
  return inputs.map((input) => addKey(spoken[protocol](work, input), customer));
}

export const speaks = ({ protocols }: Work, protocol: Protocol): boolean =>
  protocols?.includes(protocol) ?? true;

/** The status of a right answer: tools are answered with 200, and so are procedures. */
export const statusOf = (work: Work, protocol: Protocol): number => (protocol === 'rest' ? work.status : 200);

type Speak = (work: Work, input: Record<string, unknown>) => Request;

const spoken: Record<Protocol, Speak> = {
  rest({ operation }, input) {
    const { method, path, body } = restRequestOf(operation, input);
    return withBody({ method, path: `/api/v1${path}` }, body);
  },
  trpc({ operation: { method, name } }, input) {
    const path = `/trpc/${name}`;
    return method === 'GET' ? { method, path } : withBody({ method, path }, input);
  },
  mcp({ operation: { tool }, isToolsList }, input) {
    const call = { method: 'tools/call', params: { name: tool?.name, arguments: input } };
    const message = { jsonrpc: '2.0', id: 1, ...(isToolsList ? { method: 'tools/list' } : call) };
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
