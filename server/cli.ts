/** npm run cli: what operators do, one command at a time. Exit code 0: done; 1: refused or failed; 2: wrong usage. */
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

/** Says what went wrong, without a trace, and gives the exit code for it. */
function report(failure: unknown): number {
  // Commander has spoken already; asking for help comes this way too.
  if (failure instanceof CommanderError) return failure.exitCode === 0 ? 0 : 2;
  process.stderr.write(`error: ${failure instanceof Error ? failure.message : failure}\n`);
  return 1;
}

/** As in `audit list | head`: who has read enough is no failure, and the command still ends in order. */
function ignoreClosedPipe(failure: NodeJS.ErrnoException): void {
  if (failure.code !== 'EPIPE') throw failure;
}

await main();
