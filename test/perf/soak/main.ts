/** npm run soak: a steady load for minutes, figures meanwhile, a summary, and exit code 1 when something was not right. */
import { setTimeout as pass } from 'node:timers/promises';
import { openEnvironment, type SoakEnvironment } from './environment.ts';
import { type Options, readOptions } from './options.ts';
import { readProcess } from './readings.ts';
import { describeSummary } from './report.ts';
import { requestMixOf } from './request-mix.ts';
import { SteadyLoad } from './steady-load.ts';
import { problemsOf } from './verdict.ts';
import { watch } from './watch.ts';

/** For the connections of those who left to be closed. */
const farewellMs = 500;

const print = (line: string) => void process.stdout.write(`${line}\n`);
const say = (line: string) => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const options = readOptions(process.argv);
  const environment = await openEnvironment(options, say);
  process.once('SIGINT', () => void environment.close().finally(() => process.exit(130)));
  try {
    const problems = await soak(environment, options);
    print(problems.length > 0 ? `\nFAILED\n  ${problems.join('\n  ')}` : '\nIt held.');
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    await environment.close();
  }
}

async function soak(environment: SoakEnvironment, options: Options): Promise<string[]> {
  const { program, customers } = environment;
  const saidBefore = program.output().length;
  const load = new SteadyLoad({ url: program.url, requests: requestMixOf(customers), rate: options.rate });
  const course = await watch(environment, load, { ...options, print });
  await load.stop();
  await pass(farewellMs);
  const afterwards = await readProcess(program);
  const complaints = program.output().slice(saidBefore).trim();
  print(describeSummary(load, course, afterwards));
  const exitCode = await program.stop();
  const { unexpected } = load;
  return problemsOf({ ...course, afterwards, unexpected, complaints, exitCode }, options.growth);
}

await main();
