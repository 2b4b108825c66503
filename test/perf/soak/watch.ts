/** Looks after the process while customers call: a reading a second, a line of figures every so often. */
import { setTimeout as pass } from 'node:timers/promises';
import type { SoakEnvironment } from './environment.ts';
import type { Options } from './options.ts';
import { type Reading, readCollected, readProcess } from './readings.ts';
import { describeProgress, tableHead } from './report.ts';
import type { SteadyLoad } from './steady-load.ts';

export interface Course {
  readings: Reading[];
  /** Each after garbage collection. */
  start: Reading;
  middle: Reading;
  end: Reading;
}

const readEveryMs = 1000;

export async function watch(
  environment: SoakEnvironment,
  load: SteadyLoad,
  { minutes, every, print }: Options & { print: (line: string) => void },
): Promise<Course> {
  const readings: Reading[] = [];
  const watchUntil = async (ms: number) => {
    for (let stretch: Reading[] = []; load.elapsedMs() < ms; ) {
      await pass(Math.min(readEveryMs, Math.max(1, ms - load.elapsedMs())));
      stretch.push(await readProcess(environment.program));
      await environment.tidy();
      if (stretch.length < every && load.elapsedMs() < ms) continue;
      print(describeProgress(load, stretch));
      readings.push(...stretch);
      stretch = [];
    }
  };
  const totalMs = minutes * 60_000;
  print(tableHead);
  const start = await readCollected(environment.program);
  await watchUntil(totalMs / 2);
  const middle = await readCollected(environment.program);
  await watchUntil(totalMs);
  return { readings, start, middle, end: await readCollected(environment.program) };
}
