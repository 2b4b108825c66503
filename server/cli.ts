/** Entry point of npm run cli. Exit code 0: done; 1: refused or failed; 2: wrong usage. */
import { runCommandLine } from './cli/program.ts';

/** As in `audit list | head`: a closed pipe is no failure, and the command still shuts down in order. */
function ignoreClosedPipe(failure: NodeJS.ErrnoException): void {
  if (failure.code !== 'EPIPE') throw failure;
}

process.stdout.on('error', ignoreClosedPipe);
process.exitCode = await runCommandLine(process.argv.slice(2), process);
