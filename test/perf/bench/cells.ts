/** Contenders at a work, ready to be measured: their servers are up, their calls written. */
import type { Request } from 'autocannon';
import type { Servers } from './bench.ts';
import { callsOf, type Protocol, speaks, statusOf } from './calls.ts';
import type { Contender } from './contenders.ts';
import { type Customer, type Customers, unknownCallers } from './customers.ts';
import type { Cell } from './measure.ts';
import type { Work } from './works.ts';

export interface CellParts {
  customers: Customers;
  servers: Servers;
  connections: number;
  /** Which of the contender's processes, from 0. */
  process: number;
}

export const canDo = ({ protocol, works }: Contender, work: Work): boolean =>
  speaks(work, protocol) && (works?.includes(work.name) ?? true);

export async function createCell(contender: Contender, work: Work, parts: CellParts): Promise<Cell> {
  const { name, protocol } = contender;
  const { customers, servers, connections, process } = parts;
  const isLimited = work.isLimited ?? false;
  const running = await servers.of(contender, { process, isLimited });
  return {
    ...{ name, protocol, url: running[0].url, connections },
    pids: running.map(({ pid }) => pid),
    calls: allCalls(work, protocol, customers),
    statuses: [statusOf(work, protocol), ...(isLimited ? [200] : [])],
  };
}

/** The first calls of all callers, then the second ones: no two calls of one key come close to each other. */
export function allCalls(work: Work, protocol: Protocol, customers: Customers): Request[] {
  const callsOfEach = callersOf(work, customers).map((customer) => callsOf(work, protocol, customer));
  const most = Math.max(...callsOfEach.map(({ length }) => length));
  const places = Array.from({ length: most }, (_, place) => place);
  return places.flatMap((place) => callsOfEach.flatMap((calls) => calls[place] ?? []));
}

function callersOf({ who, keysMax }: Work, customers: Customers): Customer[] {
  const callers = who === 'unknown' ? unknownCallers(customers.readers.length) : customers[who];
  return callers.slice(0, keysMax);
}
