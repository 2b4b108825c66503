/** The parts of a run in their order, each a titled table. */
import { type Bench, Servers } from './bench.ts';
import { type Comparison, comparisons, comparisonsAtOne, comparisonsOfFrames } from './comparisons.ts';
import { contenders } from './contenders.ts';
import { type Growth, measureGrowth, measureKeys } from './growth.ts';
import { memoryTable } from './memory.ts';
import { comparisonTable } from './report.ts';
import { measureSideBySide } from './side-by-side.ts';
import { startUpTable } from './start-up.ts';

export interface Part {
  title: string;
  table(bench: Bench): Promise<string>;
}

const titles = new Map(contenders.map(({ name, title }) => [name, title]));

const sideBySide =
  (comparisons: Comparison[]) =>
  async (bench: Bench): Promise<string> => {
    const { connections } = bench.options;
    return comparisonTable(await measureSideBySide(bench, { comparisons, connections }), comparisons, titles);
  };

/** Where a second has so few calls, there are more rounds. */
const oftener = 2;

/** In processes of its own, over one connection. */
const oneByOne =
  (comparisons: Comparison[]) =>
  async ({ effort, ...bench }: Bench): Promise<string> => {
    const often = { ...effort, rounds: effort.rounds * oftener };
    const own = { ...bench, effort: often, servers: new Servers(bench.stage) };
    const measured = await measureSideBySide(own, { comparisons, connections: 1 });
    return comparisonTable(measured, comparisons, titles);
  };

const growthTables = ({ measured, comparisons, titles, servers }: Growth) =>
  `${comparisonTable(measured, comparisons, titles)}\n\n${memoryTable(servers)}`;

export const parts: Record<string, Part> = {
  many: {
    title: 'At many connections',
    table: async (bench) =>
      `${await sideBySide(comparisons)(bench)}\n\n${memoryTable(await bench.servers.list())}`,
  },
  one: {
    title: 'At one connection, so that nothing is bought with latency',
    table: oneByOne(comparisonsAtOne),
  },
  frame: { title: 'On a store that answers at once', table: sideBySide(comparisonsOfFrames) },
  growth: {
    title: 'With more users, keys and tickets in the database',
    table: async (bench) => growthTables(await measureGrowth(bench)),
  },
  keys: { title: 'With more keys in play', table: async (bench) => growthTables(await measureKeys(bench)) },
  start: { title: 'Start on an existing MongoDB', table: startUpTable },
};
