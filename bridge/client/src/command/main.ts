#!/usr/bin/env node
/** The command `gamehost`: reads what its host offers from the host's description, and calls it. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addCompletion } from './completion.ts';
import { handleFailures, reportFailure } from './failures.ts';
import { openHost } from './host.ts';
import { addOperations } from './operations.ts';
import { addSignIn } from './sign-in.ts';
import { harmless, prepareOutput } from './terminal.ts';

/** Without the operationId, which is an alias of each command. */
const nameWithArguments = (command: Command): string =>
  [command.name(), ...command.registeredArguments.map((argument) => `<${argument.name()}>`)].join(' ');

try {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const program = new Command('gamehost').description('Your game servers, tickets and subscriptions.');
  program.version(version).enablePositionalOptions().configureHelp({ subcommandTerm: nameWithArguments });
  handleFailures(program);
  // The help has texts of the host.
  program.configureOutput({
    writeOut: (text) => process.stdout.write(harmless(text)),
    writeErr: (text) => process.stderr.write(harmless(text)),
  });
  prepareOutput();
  const host = await openHost();
  addSignIn(program, host);
  const signInCommands = program.commands.map((command) => command.name());
  addCompletion(program);
  // They also work while the host is away.
  if (!signInCommands.includes(process.argv[2] ?? '')) await addOperations(program, host);
  await program.parseAsync();
} catch (failure) {
  process.exitCode = reportFailure(failure);
}
