/** Entry point of npm run cli. Exit code 0: done; 1: refused or failed; 2: wrong usage. */
import { CommanderError } from 'commander';
import { createProgram } from './cli/program.ts';

async function main(): Promise<void> {
  process.stdout.on('error', ignoreClosedPipe);
  try {
    await createProgram().parseAsync();
  } catch (failure) {
    process.exitCode = report(failure);
  }
}

/** Prints the error without a stack trace and returns the exit code. */
function report(failure: unknown): number {
  // Commander has printed its error already; --help ends here too.
  if (failure instanceof CommanderError) return failure.exitCode === 0 ? 0 : 2;
  process.stderr.write(`error: ${failure instanceof Error ? failure.message : failure}\n`);
  return 1;
}

/** As in `audit list | head`: a closed pipe is no failure, and the command still shuts down in order. */
function ignoreClosedPipe(failure: NodeJS.ErrnoException): void {
  if (failure.code !== 'EPIPE') throw failure;
}

await main();
