/** What every command is made of: its verb and options, the stores that it opens, and what it prints. */
import { Command } from 'commander';
import { z } from 'zod';
import { createModels, type Models } from '../../models/index.ts';
import type { UserRecord } from '../../models/user.ts';
import { describeIssue } from '../../routers/format-zod-error.ts';
import { guessableMessage, isGuessable, NewPassword } from '../../routers/schemas/password.ts';
import { filledLine, filledProse } from '../../routers/schemas/text.ts';

import { type Config, readConfig } from '../config.ts';
import { connectMongoose, findRunningEmbedded, openDatabase } from '../database.ts';
import { unlockWebhooks } from '../events/unlock.ts';
import { escapeControls } from '../observability/log.ts';

import { CommandError, printable } from './command-error.ts';
import { decodeText, readLine, readText } from './text-input.ts';

export { Email, OptionalName } from '../../routers/schemas/user.ts';
export { CommandError, printable };

/** How every help text calls the command line. */
export const callName = 'npm run -s cli --';

/** What a command reads and writes: that of its process, unless it runs inside another program. */
export interface Io {
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
  env: NodeJS.ProcessEnv;
}

/** A command that hands on what it reads and writes to those below it. */
export class CliCommand extends Command {
  readonly io: Io;

  constructor(io: Io, name?: string) {
    super(name);
    this.io = io;
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(this.io, name);
  }
}

/** The result of a command: for programs, in the API's field names, and for people. */
export interface Report {
  json: unknown;
  text: string;
}

/** Adds a command below a noun, or below the program. */
export const addVerb = (parent: CliCommand, name: string, { summary, example }: VerbHelp) =>
  parent
    .command(name)
    .description(summary)
    .addHelpText('after', `\nExample:\n  ${callName} ${example}`)
    .option('--json', 'print JSON, for programs');

interface VerbHelp {
  summary: string;
  /** The arguments of a call that works. */
  example: string;
}

/**
 * An action for commander: validates the options (exit code 2 if they are invalid), runs, prints the report.
 * @param schema a function where it depends on the settings or reads standard input
 */
export function verb<Options extends z.ZodObject>(
  schema: Options | ((io: Io) => Options),
  run: (options: z.output<Options>, io: Io) => Report | Promise<Report>,
) {
  return async function act(this: CliCommand): Promise<void> {
    const { io } = this;
    const options = await readOptions(this, schema instanceof z.ZodObject ? schema : schema(io));
    const { json, text } = await run(options, io);
    const isForPrograms = this.opts()['json'] === true;
    io.stdout.write(`${isForPrograms ? escapeControls(JSON.stringify(json, null, 2)) : text}\n`);
  };
}

async function readOptions<Options extends z.ZodType>(command: Command, schema: Options) {
  const named = command.registeredArguments.map((argument, index) => [argument.name(), command.args[index]]);
  const parsed = await schema.safeParseAsync({ ...command.opts(), ...Object.fromEntries(named) });
  if (parsed.success) return parsed.data;
  // Commander's own parsers would repeat the value, which may be a password, in their errors.
  return command.error(`error: ${parsed.error.issues.map((issue) => describe(command, issue)).join('; ')}`);
}

/** "--panel-user must be a whole number from 1"; a rule about several options names them in its message. */
function describe(command: Command, issue: z.core.$ZodIssue): string {
  const [field] = issue.path;
  return field === undefined
    ? issue.message
    : describeIssue({ ...issue, path: [nameOf(command, String(field))] });
}

const nameOf = (command: Command, field: string) =>
  command.registeredArguments.some((argument) => argument.name() === field)
    ? field.toUpperCase()
    : `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** `-` reads the first line of standard input, which process lists do not show. */
export const newPassword = ({ stdin }: Io) =>
  z
    .string()
    .transform((value) => (value === '-' ? readLine(decodeText(stdin)) : value))
    .pipe(NewPassword)
    .refine(async (password) => !(await isGuessable(password)), { error: guessableMessage });

/** `-` reads all of standard input. */
export const messageText = ({ stdin }: Io) =>
  z
    .string()
    .transform(async (value) => (value === '-' ? (await readText(decodeText(stdin))).trimEnd() : value))
    .pipe(filledProse(10_000));

export const Name = filledLine(200);

/** At most 15 digits, which a JavaScript number represents exactly. */
export const PositiveInteger = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, { error: 'must be a whole number from 1' })
  .transform(Number);

const Moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: 'must be an ISO 8601 time with its zone, or a date: 2030-01-31T12:00:00Z or 2030-01-31',
});

/** A date alone means 00:00 UTC. */
export const FutureMoment = Moment.transform((value) => new Date(value)).refine(
  (moment) => moment > new Date(),
  { error: 'must be in the future' },
);

type Work<Result> = (models: Models) => Promise<Result>;

/**
 * Migrated and with all indexes, so that a command may run before the first start of the service. What a command changes
 * may be an event for a webhook, so without the key of stored webhooks none runs.
 */
export const withModels = <Result>(io: Io, work: Work<Result>): Promise<Result> =>
  withBareModels(io, async (models) => {
    await models.migrate({ onProgress: sayTo(io) });
    await models.ensureIndexes();
    await unlockWebhooks(models, readConfig(io.env));
    return work(models);
  });

/** The database as it is, without migrations. */
export async function withBareModels<Result>(io: Io, work: Work<Result>): Promise<Result> {
  const { uri, stop } = await findDatabase(readConfig(io.env), sayTo(io));
  try {
    const connection = await connectMongoose(uri);
    try {
      return await work(createModels(connection));
    } finally {
      await connection.close();
    }
  } finally {
    await stop();
  }
}

/**
 * The same, while no service uses the database, as far as that can be detected.
 * @throws {CommandError} when a service runs on the embedded database
 */
export async function withIdleModels<Result>(io: Io, work: Work<Result>): Promise<Result> {
  const { mongodbUri, dataDir } = readConfig(io.env);
  if (!mongodbUri && (await findRunningEmbedded(dataDir)))
    throw new CommandError('the service is running on this database; stop it first');
  return withBareModels(io, work);
}

/** @throws {CommandError} when no user has the e-mail address */
export async function getUser(models: Models, email: string): Promise<UserRecord> {
  const user = await models.users.findByEmail(email);
  if (!user) throw noUserWith(email);
  return user;
}

export const noUserWith = (email: string) => new CommandError(`no user has the e-mail address ${email}`);

async function findDatabase(
  config: Config,
  reportProgress: (line: string) => void,
): Promise<{ uri: string; stop(): Promise<void> }> {
  const uri = config.mongodbUri ? null : await findRunningEmbedded(config.dataDir);
  return uri ? { uri, stop: async () => {} } : openDatabase({ ...config, reportProgress });
}

/** Progress goes to standard error, apart from the result. */
export const sayTo =
  ({ stderr }: Io) =>
  (line: string) =>
    void stderr.write(`${line}\n`);

/** @param empty printed instead of a table without rows */
export function table<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  empty: string,
): string {
  if (rows.length === 0) return empty;
  const headings = columns.map((column) => column.replaceAll('_', ' ').toUpperCase());
  const lines = [headings, ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cell(value: unknown): string {
  if (value === null) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
}
