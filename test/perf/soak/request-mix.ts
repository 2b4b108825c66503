/** What customers ask for, in turn: every work in every protocol, each time for the next customer. */
import { randomUUID } from 'node:crypto';
import type { Request } from 'autocannon';
import { type Customer, type Customers, unknownCallers } from '../bench/customers.ts';
import { callsOf, type Protocol, speaks, statusOf, type Work, works } from '../bench/works.ts';

export interface MixedRequest {
  /** As in `tickets.create, mcp`. */
  name: string;
  request: Request;
  status: number;
}

const protocols: Protocol[] = ['rest', 'trpc', 'mcp'];

/** Of these calls, every second one brings an idempotency key. */
const isWrite = ({ status }: Work) => status === 201 || status === 202;

/**
 * Without end. No caller may reach the limit here, and no key is used alone.
 * @param isWanted which works are asked for
 */
export function* requestMixOf(customers: Customers, isWanted = (_: Work) => true): Generator<MixedRequest> {
  const asked = works.filter(({ status, keysMax }) => status !== 429 && keysMax !== 1).filter(isWanted);
  const kinds = asked.flatMap((work) =>
    protocols.filter((protocol) => speaks(work, protocol)).map((protocol) => ({ work, protocol })),
  );
  const callers = { ...customers, unknown: unknownCallers(customers.readers.length) };
  for (let round = 0; ; round += 1)
    for (const [index, { work, protocol }] of kinds.entries()) {
      // Kinds begin with different customers, so that no one does everything at once.
      const customer = pick(callers[work.who], round + index * 7);
      yield requestOf({ work, protocol }, customer, round);
    }
}

function requestOf(
  { work, protocol }: { work: Work; protocol: Protocol },
  customer: Customer,
  round: number,
): MixedRequest {
  const request = pick(callsOf(work, protocol, customer), round);
  const isKeyed = isWrite(work) && round % 2 === 0;
  const headers = { ...request.headers, ...(isKeyed && { 'idempotency-key': randomUUID() }) };
  return {
    name: `${work.name}, ${protocol}`,
    request: { ...request, headers },
    status: statusOf(work, protocol),
  };
}

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}
