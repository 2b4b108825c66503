/** The parts of a run in their order, each a titled table. */
import type { Bench } from './bench.ts';
import { comparisons, comparisonsAtOne } from './comparisons.ts';
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

export const parts: Record<string, Part> = {
  many: {
    title: 'At many connections',
    async table(bench) {
      const { connections } = bench.options;
      return comparisonTable(
        await measureSideBySide(bench, { comparisons, connections }),
        comparisons,
        titles,
      );
    },
  },
  memory: { title: 'Memory after this load', table: memoryTable },
  one: {
    title: 'At one connection, so that nothing is bought with latency',
    async table(bench) {
      const measured = await measureSideBySide(bench, { comparisons: comparisonsAtOne, connections: 1 });
      return comparisonTable(measured, comparisonsAtOne, titles);
    },
  },
  growth: {
    title: 'With more users, keys and tickets in the database',
    table: async (bench) => growthTable(await measureGrowth(bench)),
  },
  keys: { title: 'With more keys in play', table: async (bench) => growthTable(await measureKeys(bench)) },
  start: { title: 'Start on an existing MongoDB', table: startUpTable },
};

const growthTable = (growth: Growth) => comparisonTable(growth.measured, growth.comparisons, growth.titles);
