/** Contenders at a work, ready to be measured: their servers are up, their calls written. */
import type { Request } from 'autocannon';
import { callsOf, speaks, statusOf } from './calls.ts';
import type { Contender, ServerName } from './contenders.ts';
import type { Cell } from './measure.ts';
import { type People, type Person, strangers } from './people.ts';
import type { RunningServer } from './servers.ts';
import type { Work } from './works.ts';

export interface CellParts {
  people: People;
  connections: number;
  /** The server of a contender, which may be limited to a call a minute. */
  serverOf(server: ServerName, isLimited: boolean): Promise<RunningServer>;
}

export const canDo = ({ tongue, works }: Contender, work: Work): boolean =>
  speaks(work, tongue) && (works?.includes(work.name) ?? true);

export async function createCell(contender: Contender, work: Work, parts: CellParts): Promise<Cell> {
  const { name, server, tongue } = contender;
  const { url, pid } = await parts.serverOf(server, work.isLimited ?? false);
  const people = callersOf(work, parts.people);
  return {
    ...{ name, url, pids: [pid], connections: parts.connections },
    calls: interleave(people.map((person) => callsOf(work, tongue, person))),
    statuses: [statusOf(work, tongue), ...(work.isLimited ? [200] : [])],
  };
}

function callersOf({ who, keysMax }: Work, people: People): Person[] {
  const callers = who === 'strangers' ? strangers(people.readers.length) : people[who];
  return callers.slice(0, keysMax);
}

/** The first calls of all, then the second ones: no two calls of one key come close to each other. */
function interleave(callsOfEach: Request[][]): Request[] {
  const most = Math.max(...callsOfEach.map(({ length }) => length));
  return Array.from({ length: most }, (_, place) =>
    callsOfEach.flatMap((calls) => calls[place] ?? []),
  ).flat();
}
