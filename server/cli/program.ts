/** The command line: one line per noun. */
import { Command, CommanderError } from 'commander';
import { version } from '../../bridge/version.ts';
import { outageOf } from '../../models/support/outages.ts';
import type { Io } from './access.ts';
import { announcement } from './announcement.ts';
import { app } from './app.ts';
import { audit } from './audit.ts';
import { backup, restore } from './backup.ts';
import { check } from './check.ts';
import { addCommands, callName, ReportedFailure } from './command.ts';
import { game } from './game.ts';
import { key } from './key.ts';
import { mail } from './mail.ts';
import { mcp } from './mcp.ts';
import { openapi } from './openapi.ts';
import { indexes, schema } from './schema.ts';
import { seed } from './seed.ts';
import { subscription } from './subscription.ts';
import { ticket } from './ticket.ts';
import { user } from './user.ts';
import { webhook } from './webhook.ts';

const environment = `
Commands use the database at MONGODB_URI. Without that setting, they use the embedded database in DATA_DIR (default
.data): that of a running service, or one that the command starts and stops.

Results go to standard output, as text or with --json as JSON; errors go to standard error.
Exit code: 0 done, 1 refused or failed, 2 wrong usage.`;

export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  try {
    await createProgram(io).parseAsync(args, { from: 'user' });
    return 0;
  } catch (failure) {
    // Commander has already printed the error; --help ends here too.
    if (failure instanceof CommanderError) return failure.exitCode === 0 ? 0 : 2;
    if (failure instanceof ReportedFailure) return 1;
    const message = failure instanceof Error ? failure.message : String(failure);
    io.stderr.write(`error: ${outageOf(failure) ? describeOutage(message) : message}\n`);
    return 1;
  }
}

const describeOutage = (reason: string) =>
  `MongoDB could not serve the command, which may have been carried out anyway: ${reason}`;

export function createProgram(io: Io = process): Command {
  const program = new Command(callName)
    .description(
      'Operate gamehost: users, keys, apps, games, announcements, subscriptions, tickets, webhooks, mail, the audit and the database',
    )
    .version(version, '--version', 'print the version of this program')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .addHelpText('after', environment);
  const nouns = { user, key, app, game, announcement, subscription, ticket, webhook, mail, mcp, audit };
  addCommands(program, nouns, io);
  addCommands(program, { check, indexes, schema, backup, restore, seed, openapi }, io);
  return program;
}
