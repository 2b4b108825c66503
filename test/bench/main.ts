/** npm run bench: measures our service beside its peers on this machine, prints the tables and writes them down. */
import { createServerOf, databaseName, measureWorks } from './bench.ts';
import { comparisons } from './comparisons.ts';
import { contenders } from './contenders.ts';
import { readOptions } from './options.ts';
import { comparisonTable } from './report.ts';
import { openStage } from './stage.ts';

const say = (line: string) => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const options = readOptions(process.argv);
  const stage = await openStage(say);
  try {
    const people = await stage.fill(databaseName, { inPlay: options.keys, idle: 0 });
    const bench = { stage, options, people, say, serverOf: createServerOf(stage) };
    const titles = new Map(contenders.map(({ name, title }) => [name, title]));
    const names = contenders.map(({ name }) => name);
    const many = await measureWorks(bench, options.connections, names);
    process.stdout.write(`${comparisonTable(many, comparisons, titles)}\n`);
  } finally {
    await stage.close();
  }
}

await main();
