/** Contenders at a work, ready to be measured: their servers are up, their calls written. */
import type { Request } from 'autocannon';
import type { Servers } from './bench.ts';
import { callsOf, speaks, statusOf, type Tongue } from './calls.ts';
import type { Contender } from './contenders.ts';
import type { Cell } from './measure.ts';
import { type People, type Person, strangers } from './people.ts';
import type { Work } from './works.ts';

export interface CellParts {
  people: People;
  servers: Servers;
  connections: number;
  /** Which of the contender's processes, from 0. */
  process: number;
}

export const canDo = ({ tongue, works }: Contender, work: Work): boolean =>
  speaks(work, tongue) && (works?.includes(work.name) ?? true);

export async function createCell(contender: Contender, work: Work, parts: CellParts): Promise<Cell> {
  const { name, tongue } = contender;
  const { people, servers, connections, process } = parts;
  const isLimited = work.isLimited ?? false;
  const running = await servers.of(contender, { process, isLimited });
  return {
    ...{ name, tongue, url: running[0].url, connections },
    pids: running.map(({ pid }) => pid),
    calls: allCalls(work, tongue, people),
    statuses: [statusOf(work, tongue), ...(isLimited ? [200] : [])],
  };
}

/** The first calls of all callers, then the second ones: no two calls of one key come close to each other. */
export function allCalls(work: Work, tongue: Tongue, people: People): Request[] {
  const callsOfEach = callersOf(work, people).map((person) => callsOf(work, tongue, person));
  const most = Math.max(...callsOfEach.map(({ length }) => length));
  const places = Array.from({ length: most }, (_, place) => place);
  return places.flatMap((place) => callsOfEach.flatMap((calls) => calls[place] ?? []));
}

function callersOf({ who, keysMax }: Work, people: People): Person[] {
  const callers = who === 'strangers' ? strangers(people.readers.length) : people[who];
  return callers.slice(0, keysMax);
}
