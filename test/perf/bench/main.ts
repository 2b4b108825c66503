/** npm run bench: measures our service beside its peers on this machine, prints the tables and writes them down. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Bench, databaseName, effortOf, Servers } from './bench.ts';
import { isInFull, type Options, readOptions } from './options.ts';
import { parts } from './parts.ts';
import { resultsSection, withSection } from './results.ts';
import { openStage, type Stage } from './stage.ts';

const resultsFile = fileURLToPath(new URL('RESULTS.md', import.meta.url));

const say = (line: string) => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const options = readOptions(process.argv);
  const stage = await openStage(say, options);
  process.once('SIGINT', () => void stage.close().finally(() => process.exit(130)));
  try {
    await run(stage, options);
  } finally {
    await stage.close();
  }
}

async function run(stage: Stage, options: Options): Promise<void> {
  const customers = await stage.fill(databaseName, { inPlay: options.keys, idle: 0 });
  const bench: Bench = {
    stage,
    options,
    customers,
    say,
    effort: effortOf(options),
    servers: new Servers(stage),
  };
  const file = options.out ?? (isInFull(options) ? resultsFile : null);
  for (const { title, processesTimes = 1, table } of options.parts.flatMap((name) => parts[name] ?? [])) {
    const { effort } = bench;
    const ofPart = { ...bench, effort: { ...effort, processes: effort.processes * processesTimes } };
    const shown = await table(ofPart);
    process.stdout.write(`\n${title}\n\n${shown}\n`);
    if (file)
      await writeFile(file, withSection(await readIfThere(file), title, resultsSection(ofPart, shown)));
  }
}

/** Only a missing file is an empty one: figures that cannot be read must not be written over. */
const readIfThere = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

await main();
