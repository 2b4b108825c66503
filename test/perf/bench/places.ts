/** Our service beside itself, in several places: on databases or with settings of their own. */
import { type Bench, databaseName } from './bench.ts';
import type { Comparison } from './contenders.ts';
import type { Customers } from './customers.ts';
import type { RunningServer } from './environment.ts';
import { measure } from './measure.ts';
import { comparisonTable, type Measured } from './report.ts';
import { cellOf, processesOf } from './side-by-side.ts';
import type { Work } from './works.ts';

export interface Place {
  name: string;
  title: string;
  customers: Customers;
  servers: RunningServer[];
}

interface Plan extends Pick<Place, 'name' | 'title'> {
  /** A new one, which is filled; the common one unless given. */
  database?: string;
  /** Customers of the new one beside those in play. */
  idle?: number;
  /** What is done to it before the service starts. */
  prepare?: (customers: Customers) => Promise<unknown>;
  settings?: Record<string, string>;
}

/** Starts processes of its own, so that none is longer at work than those of the other places. */
export async function openPlace(bench: Bench, plan: Plan): Promise<Place> {
  const { name, title, database, idle = 0, prepare, settings = {} } = plan;
  const { environment, options } = bench;
  const customers = database
    ? await environment.fill(database, { inPlay: options.keys, idle })
    : bench.customers;
  await prepare?.(customers);
  const start = () => environment.start('ours', { databaseName: database ?? databaseName, settings });
  return { name, title, customers, servers: await Promise.all(processesOf(bench).map(start)) };
}

interface Measurement {
  works: Work[];
  connections: number;
  comparisons: Comparison[];
}

export async function placesTable(
  bench: Bench,
  places: Place[],
  { works, connections, comparisons }: Measurement,
): Promise<string> {
  const measured: Measured[] = [];
  for (const work of works) {
    bench.say(`${work.title}, ${places.map(({ title }) => title).join('; ')} ...`);
    const cells = processesOf(bench).flatMap((process) =>
      places.flatMap(({ servers, ...place }) =>
        servers.slice(process, process + 1).map((server) => {
          return cellOf(work, { ...place, protocol: 'rest', servers: [server], connections });
        }),
      ),
    );
    measured.push({ work, samples: await measure(cells, bench.effort, bench.environment.closeNewTickets) });
  }
  return comparisonTable(measured, comparisons, new Map(places.map(({ name, title }) => [name, title])));
}
