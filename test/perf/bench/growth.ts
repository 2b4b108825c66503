/** The same calls with more in the database: our service beside itself. */
import { type Bench, databaseName } from './bench.ts';
import { flat } from './contenders.ts';
import { openPlace, type Place, placesTable } from './places.ts';
import { memoryTable } from './report.ts';
import { wantedWorks } from './side-by-side.ts';

const grownWorks = [
  ...['catalog', 'me', 'tickets', 'tickets-awaiting', 'ticket', 'create', 'reply', 'unknown-key'],
  ...['staff-tickets', 'staff-awaiting', 'staff-status'],
];

/** With a hundred thousand further users, keys and tickets in the database, and with a million if asked for. */
export async function growthTables(bench: Bench): Promise<string> {
  const { million, connections } = bench.options;
  const places = [await openPlace(bench, { name: 'ours', title: 'ours before' })];
  for (const idle of million ? [100_000, 1_000_000] : [100_000]) {
    bench.say(`Adding ${idle} users, keys and tickets ...`);
    const database = `${databaseName}_${idle}`;
    places.push(await openPlace(bench, { name: database, title: `ours, ${idle} more`, database, idle }));
  }
  const works = wantedWorks(bench).filter(({ name }) => grownWorks.includes(name));
  const comparisons = places.slice(1).map(({ name }) => flat(name, 'ours'));
  const table = await placesTable(bench, places, { works, connections, comparisons });
  return `${table}\n\n${memoryTable(places.flatMap(serversOf))}`;
}

const serversOf = ({ title, servers }: Place) =>
  servers.map(({ pid }, process) => ({ pid, name: `${title}, ${process + 1}` }));
