/** Reports a failed command: its message, and the code with which it exits. */
import { type Command, CommanderError } from 'commander';
import { GamehostError } from '../errors.ts';
import { whenUnlocked } from './kept-files.ts';
import { harmless } from './terminal.ts';

export const wrongUse = (message: string) => new GamehostError({ code: 'wrong_use', message });

/** There is no credential for the host. */
export const notSignedIn = (message: string) => new GamehostError({ code: 'not_signed_in', message });

/** Before commands are added, which inherit it: leaves errors to `reportFailure`. Ends the process on a signal. */
export function handleFailures(program: Command): void {
  program.exitOverride().configureOutput({ outputError: () => {} });
  process.once('SIGINT', () => exit(130)).once('SIGTERM', () => exit(143));
}

/** Not within a renewal, whose answer replaces the refresh token, unless the person insists. */
async function exit(code: number): Promise<never> {
  process.on('SIGINT', () => process.exit(code)).on('SIGTERM', () => process.exit(code));
  await whenUnlocked();
  process.exit(code);
}

/** Prints the failure to stderr, and returns the exit code: 1 refused or away, 2 wrong use, 3 not signed in. */
export function reportFailure(failure: unknown): number {
  if (failure instanceof CommanderError && failure.exitCode === 0) return 0; // help was wanted
  const { code, message, status, requestId } = errorOf(failure);
  const request = requestId === null ? '' : ` (request ${requestId})`;
  // The machine of a server refuses an upload for reasons of its own.
  const isUnauthorized = status === 401 && code !== 'upload_refused';
  const advice = isUnauthorized ? '\nRun "gamehost login", or set another GAMEHOST_KEY.' : '';
  const isJson = process.argv.includes('--json');
  const error = { code, message, status, request_id: requestId };
  const text = isJson ? JSON.stringify({ error }) : `error: ${message}${request}${advice}`;
  const isHelp = failure instanceof CommanderError && failure.code === 'commander.help';
  if (isJson || !isHelp) process.stderr.write(`${harmless(text)}\n`);
  if (code === 'wrong_use') return 2;
  return code === 'not_signed_in' || isUnauthorized ? 3 : 1;
}

function errorOf(failure: unknown): GamehostError {
  const message = (failure instanceof Error ? failure.message : String(failure)).replace(/^error: /, '');
  if (failure instanceof CommanderError) return wrongUse(message);
  if (!(failure instanceof GamehostError)) return new GamehostError({ code: 'failed', message });
  const isWrongUse = failure.code === 'invalid_call' || failure.code === 'invalid_options';
  return isWrongUse ? wrongUse(message) : failure;
}
