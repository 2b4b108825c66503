/** The command line: one line per noun. */
import { CommanderError } from 'commander';
import { addAppCommands } from './app.ts';
import { addAuditCommands } from './audit.ts';
import { addBackupCommands } from './backup.ts';
import { CliCommand, callName, type Io } from './command.ts';
import { addGameCommands } from './game.ts';
import { addKeyCommands } from './key.ts';
import { addOpenapiCommand } from './openapi.ts';
import { addIndexesCommand, addSchemaCommand } from './schema.ts';
import { addSeedCommand } from './seed.ts';
import { addSubscriptionCommands } from './subscription.ts';
import { addTicketCommands } from './ticket.ts';
import { addUserCommands } from './user.ts';
import { addWebhookCommands } from './webhook.ts';

const environment = `
Works on the database in MONGODB_URI. Without it, on the embedded database in DATA_DIR (default .data): that of a
running service, or else one that is started for the command and stopped after it.

Results go to standard output, as text or with --json as JSON; errors go to standard error.
Exit code: 0 done, 1 refused or failed, 2 wrong usage.`;

/** Runs one command line and resolves with its exit code; what went wrong is printed without a stack trace. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  try {
    await createProgram(io).parseAsync(args, { from: 'user' });
    return 0;
  } catch (failure) {
    // Commander has printed its error already; --help ends here too.
    if (failure instanceof CommanderError) return failure.exitCode === 0 ? 0 : 2;
    io.stderr.write(`error: ${failure instanceof Error ? failure.message : failure}\n`);
    return 1;
  }
}

export function createProgram(io: Io = process): CliCommand {
  const program = new CliCommand(io, callName)
    .description(
      'Operate gamehost: users, keys, apps, games, subscriptions, tickets, webhooks, the audit and the database',
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .addHelpText('after', environment);
  addUserCommands(program);
  addKeyCommands(program);
  addAppCommands(program);
  addGameCommands(program);
  addSubscriptionCommands(program);
  addTicketCommands(program);
  addWebhookCommands(program);
  addAuditCommands(program);
  addIndexesCommand(program);
  addSchemaCommand(program);
  addBackupCommands(program);
  addSeedCommand(program);
  addOpenapiCommand(program);
  return program;
}
