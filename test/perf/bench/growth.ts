/** The same calls with more in the database: our service beside itself. */
import { type Bench, databaseName } from './bench.ts';
import { type Comparison, flat } from './contenders.ts';
import type { Customers } from './customers.ts';
import type { RunningServer } from './environment.ts';
import { type Cell, measure } from './measure.ts';
import type { Measured } from './report.ts';
import { allCalls, processesOf, wantedWorks } from './side-by-side.ts';
import { statusOf, type Work } from './works.ts';

const grownWorks = [
  ...['catalog', 'me', 'tickets', 'tickets-awaiting', 'ticket', 'create', 'reply', 'unknown-key'],
  ...['staff-tickets', 'staff-awaiting', 'staff-status'],
];

/** Our service on a database that has grown. */
interface Place {
  name: string;
  title: string;
  servers: RunningServer[];
  customers: Customers;
}

export interface Growth {
  measured: Measured[];
  comparisons: Comparison[];
  titles: ReadonlyMap<string, string>;
  servers: { name: string; pid: number }[];
}

/** With a hundred thousand further users, keys and tickets in the database, and with a million if asked for. */
export async function measureGrowth(bench: Bench): Promise<Growth> {
  const { environment, customers, options } = bench;
  // Processes of its own, so that none is longer at work than the others.
  const before = {
    name: 'ours',
    title: 'ours before',
    customers,
    servers: await startAll(bench, databaseName),
  };
  const places: Place[] = [before];
  for (const idle of options.million ? [100_000, 1_000_000] : [100_000]) {
    const name = `${databaseName}_${idle}`;
    bench.say(`Adding ${idle} users, keys and tickets ...`);
    const grown = await environment.fill(name, { inPlay: options.keys, idle });
    places.push({
      ...{ name, title: `ours, ${idle} more`, customers: grown },
      servers: await startAll(bench, name),
    });
  }
  return measurePlaces(bench, places);
}

const startAll = (bench: Bench, databaseName: string): Promise<RunningServer[]> =>
  Promise.all(processesOf(bench).map(() => bench.environment.start('ours', { databaseName })));

/** All places beside the first. */
async function measurePlaces(bench: Bench, places: Place[]): Promise<Growth> {
  const [first, ...others] = places;
  const measured: Measured[] = [];
  for (const work of wantedWorks(bench).filter(({ name }) => grownWorks.includes(name))) {
    bench.say(`${work.title}, ${places.map(({ title }) => title).join('; ')} ...`);
    const cells = processesOf(bench).flatMap((process) =>
      places.flatMap((place) => cellAt(place, work, { process, connections: bench.options.connections })),
    );
    measured.push({ work, samples: await measure(cells, bench.effort) });
  }
  return {
    measured,
    comparisons: others.map(({ name }) => flat(name, first?.name ?? '')),
    titles: new Map(places.map(({ name, title }) => [name, title])),
    servers: memoryOf(places),
  };
}

/** Each process once, however many places it serves. */
function memoryOf(places: Place[]): Growth['servers'] {
  const named = places.flatMap(({ title, servers }) =>
    servers.map(({ pid }, process) => ({ pid, name: `${title}, ${process + 1}` })),
  );
  return [...new Map(named.map((server) => [server.pid, server])).values()];
}

const cellAt = (
  { name, servers, customers }: Place,
  work: Work,
  { process, connections }: { process: number; connections: number },
): Cell[] =>
  servers.slice(process, process + 1).map(({ url, pid }) => ({
    ...{ name, protocol: 'rest', url, pids: [pid], connections },
    calls: allCalls(work, 'rest', customers),
    statuses: [statusOf(work, 'rest')],
  }));
