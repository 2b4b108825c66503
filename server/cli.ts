/** Entry point of npm run cli. Exit code 0: done; 1: refused or failed; 2: wrong usage. */
import { runCommandLine } from './cli/program.ts';

/** `audit list | head` closes the pipe. That is not a failure, and the command must still close its database. */
function ignoreClosedPipe(failure: NodeJS.ErrnoException): void {
  if (failure.code !== 'EPIPE') throw failure;
}

process.stdout.on('error', ignoreClosedPipe);
process.exitCode = await runCommandLine(process.argv.slice(2), process);
