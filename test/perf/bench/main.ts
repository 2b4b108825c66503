/** npm run bench: measures our service beside its peers on this machine, prints the tables and writes them down. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Bench, databaseName, effortOf, Servers } from './bench.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { isInFull, type Options, readOptions } from './options.ts';
import { parts } from './parts.ts';
import { resultsSection, withSection } from './results.ts';

const resultsFile = fileURLToPath(new URL('RESULTS.md', import.meta.url));

const say = (line: string) => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const options = readOptions(process.argv);
  const environment = await openEnvironment(say, options);
  process.once('SIGINT', () => void environment.close().finally(() => process.exit(130)));
  try {
    await run(environment, options);
  } finally {
    await environment.close();
  }
}

async function run(environment: Environment, options: Options): Promise<void> {
  const customers = await environment.fill(databaseName, { inPlay: options.keys, idle: 0 });
  const bench: Bench = {
    environment,
    options,
    customers,
    say,
    effort: effortOf(options),
    servers: new Servers(environment),
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
