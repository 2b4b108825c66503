/** Reports a failed command: its message, and the code with which it exits. */
import { type Command, CommanderError } from 'commander';
import { GamehostError } from '../errors.ts';
import { whenUnlocked } from './kept-files.ts';
import { harmless } from './terminal.ts';

/** The command is used wrongly. */
export class UsageError extends Error {}

/** There is no credential for the host. */
export class NotSignedInError extends Error {}

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
  const error = describe(failure);
  const isHelp = failure instanceof CommanderError && failure.code === 'commander.help';
  const isJson = process.argv.includes('--json');
  const text = isJson ? JSON.stringify({ error }) : `error: ${error.message}${addition(error)}`;
  if (isJson || !isHelp) process.stderr.write(`${harmless(text)}\n`);
  return exitCodeOf(error);
}

interface Described {
  code: string;
  message: string;
  status: number | null;
  request_id: string | null;
}

function describe(failure: unknown): Described {
  const message = failure instanceof Error ? failure.message : String(failure);
  const without = { message: message.replace(/^error: /, ''), status: null, request_id: null };
  if (failure instanceof GamehostError) {
    const { status, requestId: request_id } = failure;
    const isWrongUse = failure.code === 'invalid_call' || failure.code === 'invalid_options';
    return { code: isWrongUse ? 'wrong_use' : failure.code, message, status, request_id };
  }
  if (failure instanceof UsageError || failure instanceof CommanderError)
    return { code: 'wrong_use', ...without };
  return { code: failure instanceof NotSignedInError ? 'not_signed_in' : 'failed', ...without };
}

function addition({ status, request_id }: Described): string {
  const advice = status === 401 ? '\nRun "gamehost login", or set another GAMEHOST_KEY.' : '';
  return `${request_id === null ? '' : ` (request ${request_id})`}${advice}`;
}

function exitCodeOf({ code, status }: Described): number {
  if (code === 'wrong_use') return 2;
  return code === 'not_signed_in' || status === 401 ? 3 : 1;
}
