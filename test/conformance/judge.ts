/** Runs a judge that is an npm package, on the Node it wants, and tells what it said. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface Verdict {
  /** Zero when the judge is content. */
  exitCode: number;
  output: string;
  errors: string;
}

/** The judges want a newer Node than the service does; npm carries it. */
const node = 'node@22';

/** @param judge the package with its version, and its program */
export async function runJudge(
  judge: { package: string; program: string },
  args: string[],
): Promise<Verdict> {
  const npx = ['-y', '-p', node, '-p', judge.package, judge.program, ...args];
  const run = spawn('npx', npx, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [exitCode]] = await Promise.all([
    text(run.stdout),
    text(run.stderr),
    once(run, 'close'),
  ]);
  return { exitCode, output, errors };
}
