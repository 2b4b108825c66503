#!/usr/bin/env node
/** The command `gamehost`: reads what its host offers from the host's description, and calls it. */
import { Command } from 'commander';
import { reportFailure } from './failures.ts';
import { openHost } from './host.ts';
import { addOperations } from './operations.ts';
import { addSignIn } from './sign-in.ts';

try {
  const program = new Command('gamehost').description('Your game servers, tickets and subscriptions.');
  const host = await openHost();
  addSignIn(program, host);
  await addOperations(program, host);
  await program.parseAsync();
} catch (failure) {
  process.exitCode = reportFailure(failure);
}
