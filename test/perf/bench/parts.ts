/** The parts of a run in their order, each a titled table. */
import { type Bench, Servers } from './bench.ts';
import {
  type Comparison,
  comparisons,
  comparisonsAtOne,
  comparisonsOfFrames,
  comparisonsWithRedis,
  comparisonsWithRedisAtOne,
} from './comparisons.ts';
import { contenders } from './contenders.ts';
import { type Growth, measureGrowth, measureKeys } from './growth.ts';
import { memoryTable } from './memory.ts';
import { comparisonTable } from './report.ts';
import { measureSideBySide } from './side-by-side.ts';
import { startUpTable } from './start-up.ts';

export interface Part {
  title: string;
  /** How many times the processes that were asked for: more where their starts differ by more than their rounds. */
  processesTimes?: number;
  table(bench: Bench): Promise<string>;
}

const titles = new Map(contenders.map(({ name, title }) => [name, title]));

const sideBySide = async (
  bench: Bench,
  { comparisons, connections = bench.options.connections }: SideBySide,
): Promise<string> =>
  comparisonTable(await measureSideBySide(bench, { comparisons, connections }), comparisons, titles);

interface SideBySide {
  comparisons: Comparison[];
  connections?: number;
}

const withOwnServers = (bench: Bench): Bench => ({ ...bench, servers: new Servers(bench.stage) });

const growthTables = ({ measured, comparisons, titles, servers }: Growth) =>
  `${comparisonTable(measured, comparisons, titles)}\n\n${memoryTable(servers)}`;

export const parts: Record<string, Part> = {
  many: {
    title: 'At many connections',
    table: async (bench) =>
      `${await sideBySide(bench, { comparisons })}\n\n${memoryTable(await bench.servers.list())}`,
  },
  one: {
    title: 'At one connection, so that nothing is bought with latency',
    processesTimes: 2,
    table: (bench) => sideBySide(withOwnServers(bench), { comparisons: comparisonsAtOne, connections: 1 }),
  },
  redis: {
    title: 'With limits shared over Redis',
    processesTimes: 2,
    table: async (bench) => {
      const many = await sideBySide(withOwnServers(bench), { comparisons: comparisonsWithRedis });
      const one = await sideBySide(withOwnServers(bench), {
        ...{ comparisons: comparisonsWithRedisAtOne, connections: 1 },
      });
      return `${many}\n\nAt one connection:\n\n${one}`;
    },
  },
  frame: {
    title: 'On a store that answers at once',
    table: (bench) => sideBySide(bench, { comparisons: comparisonsOfFrames }),
  },
  growth: {
    title: 'With more users, keys and tickets in the database',
    table: async (bench) => growthTables(await measureGrowth(bench)),
  },
  keys: { title: 'With more keys in play', table: async (bench) => growthTables(await measureKeys(bench)) },
  start: { title: 'Start on an existing MongoDB', table: startUpTable },
};
