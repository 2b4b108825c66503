/** Requests of several operations in every protocol, each for the next customer in turn. */
import { randomUUID } from 'node:crypto';
import type { Operation } from '../../../bridge/operations.ts';
import { toolCall } from '../../support/mcp.ts';
import { apiOperations, restRequestOf } from '../../support/samples.ts';
import type { Customer } from '../customers.ts';

const protocols = ['rest', 'trpc', 'mcp'] as const;

type Protocol = (typeof protocols)[number];

export interface MixedRequest {
  /** Such as `tickets.create, mcp`. */
  name: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  status: number;
}

const message = 'Players time out every few minutes; it began after the update of this morning.';

const inputs: Record<string, (customer: Customer, round: number) => Record<string, unknown>> = {
  'catalog.listGames': () => ({}),
  'account.me': () => ({}),
  'tickets.list': () => ({}),
  'tickets.get': ({ ticketIds }, round) => ({ ticket_id: ticketIds[round % ticketIds.length] }),
  'tickets.create': () => ({ title: 'Lag since noon', message }),
  'tickets.reply': ({ ticketIds }, round) => ({ ticket_id: ticketIds[round % ticketIds.length], message }),
};

/** Endless; every second write has an idempotency key. */
export function* requestMixOf(customers: readonly Customer[]): Generator<MixedRequest> {
  for (let round = 0; ; round += 1)
    for (const [index, [name, inputOf]] of Object.entries(inputs).entries())
      for (const protocol of protocols) {
        // Operations begin with different customers, so that no customer does everything at once.
        const customer = customers[(round + index * 7) % customers.length];
        if (!customer) throw new Error('there are no customers');
        yield requestOf(name, protocol, {
          ...{ key: customer.secret, input: inputOf(customer, round) },
          isKeyed: round % 2 === 0,
        });
      }
}

interface Call {
  key: string;
  input: Record<string, unknown>;
  isKeyed?: boolean;
}

function requestOf(name: string, protocol: Protocol, { key, input, isKeyed }: Call): MixedRequest {
  const row = apiOperations.find((each) => each.name === name);
  if (!row) throw new Error(`There is no operation ${name}`);
  const { method, path, body } = requests[protocol](row, input);
  return {
    ...{ name: `${name}, ${protocol}`, method, path, status: protocol === 'rest' ? row.status : 200 },
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(isKeyed && row.type === 'mutation' && { 'idempotency-key': randomUUID() }),
    },
    ...(body && { body: JSON.stringify(body) }),
  };
}

type ToRequest = (
  row: Operation,
  input: Record<string, unknown>,
) => { method: string; path: string; body?: object };

const requests: Record<Protocol, ToRequest> = {
  rest(row, input) {
    const request = restRequestOf(row, input);
    return { ...request, path: `/api/v1${request.path}` };
  },
  trpc: ({ type, name }, input) =>
    type === 'mutation'
      ? { method: 'POST', path: `/trpc/${name}`, body: input }
      : { method: 'GET', path: `/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}` },
  mcp: ({ tool }, input) => ({ method: 'POST', path: '/mcp', body: toolCall(tool?.name ?? '', input) }),
};
