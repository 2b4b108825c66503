/** Runs a suite from an npm package, on the Node version it needs, and resolves to its output. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

interface Verdict {
  /** Zero when all passed. */
  exitCode: number;
  output: string;
  errors: string;
}

/** The suites need a newer Node than the service does; npm has it as a package. */
const node = 'node@22';

/**
 * @param suite the package with its version, and its program
 * @param onOutput receives its output while it runs
 */
export async function runSuite(
  suite: { package: string; program: string },
  args: string[],
  onOutput: (text: string) => void = () => {},
): Promise<Verdict> {
  const npx = ['-y', '-p', node, '-p', suite.package, suite.program, ...args];
  const run = spawn('npx', npx, { stdio: ['ignore', 'pipe', 'pipe'] });
  run.stdout.on('data', (chunk) => onOutput(String(chunk)));
  const [output, errors, [exitCode]] = await Promise.all([
    text(run.stdout),
    text(run.stderr),
    once(run, 'close'),
  ]);
  return { exitCode, output, errors };
}
