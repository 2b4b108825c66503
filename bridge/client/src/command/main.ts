#!/usr/bin/env node
/** The command `gamehost`: reads what its host offers from the host's description, and calls it. */
import { readFileSync } from 'node:fs';
import { Command, type Option } from 'commander';
import { addCompletion } from './completion.ts';
import { handleFailures, reportFailure } from './failures.ts';
import { openHost } from './host.ts';
import { addOperations } from './operations.ts';
import { addSignIn } from './sign-in.ts';
import { harmless, prepareOutput } from './terminal.ts';

/** Names without their aliases leave room for the texts in 80 columns. */
const help = {
  subcommandTerm: (command: Command) => command.name(),
  optionTerm: ({ flags }: Option) => flags.replace(/^--\w+, /, ''),
};

try {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const program = new Command('gamehost').description('Your game servers, tickets and subscriptions.');
  program.version(version).enablePositionalOptions().configureHelp(help);
  handleFailures(program);
  // The help has texts of the host.
  program.configureOutput({
    writeOut: (text) => process.stdout.write(harmless(text)),
    writeErr: (text) => process.stderr.write(harmless(text)),
  });
  prepareOutput();
  const host = await openHost();
  addSignIn(program, host);
  addCompletion(program);
  await addOperations(program, host);
  await program.parseAsync();
} catch (failure) {
  process.exitCode = reportFailure(failure);
}
