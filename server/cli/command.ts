/** A command is a row: its words, its options and its action. This file makes commander's commands from rows. */
import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { Models } from '../../models/index.ts';
import { describeIssue } from '../../routers/support/format-zod-error.ts';
import { escapeControls } from '../observability/log.ts';
import { type Access, type Io, withModels } from './access.ts';
import { type Column, table } from './print.ts';

export const callName = 'npm run -s cli --';

interface CommandBase<Options extends z.ZodObject, Db> {
  summary: string;
  example: string;
  notes?: string;
  /** See option.ts. Give a function if the options depend on settings or read standard input. */
  options: Options | ((io: Io) => Options);
  /** By default, the models of a migrated database. */
  access?: Access<Db>;
}

interface CommandDefinition<Options extends z.ZodObject, Db> extends CommandBase<Options, Db> {
  run(db: Db, options: z.output<Options>, io: Io): Promise<Report>;
}

interface ListDefinition<Options extends z.ZodObject, Item> extends CommandBase<Options, Models> {
  run(models: Models, options: z.output<Options>): Promise<readonly Item[]>;
  columns: readonly Column<Item>[];
  empty: string | ((options: z.output<Options>) => string);
}

export interface Report {
  json: unknown;
  text: string;
  hasFailed?: boolean;
}

/** The command has printed a report that says what failed. */
export class ReportedFailure extends Error {}

type AddCommand = (parent: Command, name: string, io: Io) => void;

export const noun =
  (description: string, commands: Record<string, AddCommand>): AddCommand =>
  (parent, name, io) => {
    const added = parent.command(name).description(description);
    addCommands(added, commands, io);
  };

export function addCommands(parent: Command, commands: Record<string, AddCommand>, io: Io): void {
  for (const [name, add] of Object.entries(commands)) add(parent, name, io);
}

export const list = <Options extends z.ZodObject, Item>(row: ListDefinition<Options, Item>): AddCommand =>
  command<Options, Models>({
    ...row,
    async run(models, options) {
      const json = await row.run(models, options);
      const empty = typeof row.empty === 'string' ? row.empty : row.empty(options);
      return { json, text: table(json, row.columns, empty) };
    },
  });

/** Checks the options (exit code 2 if they are invalid), runs, prints the report. */
export const command =
  <Options extends z.ZodObject, Db = Models>(row: CommandDefinition<Options, Db>): AddCommand =>
  (parent, name, io) => {
    const options = row.options instanceof z.ZodObject ? row.options : row.options(io);
    // If `row.access` is missing, Db is Models.
    const access = row.access ?? (withModels as Access<Db>);
    const added = parent
      .command(name)
      .description(row.summary)
      .addHelpText('after', `\nExample:\n  ${callName} ${row.example}`)
      .addHelpText('after', row.notes ?? '')
      .option('--json', 'print JSON, for programs');
    for (const [field, type] of Object.entries(options.shape)) addField(added, field, type);
    added.action(async () => {
      const read = await readOptions(added, options);
      const { json, text, hasFailed } = await access(io, (db) => row.run(db, read, io));
      const isForPrograms = added.opts()['json'] === true;
      io.stdout.write(`${isForPrograms ? escapeControls(JSON.stringify(json, null, 2)) : text}\n`);
      if (hasFailed) throw new ReportedFailure();
    });
  };

function addField(command: Command, name: string, field: z.core.$ZodType): void {
  const { description = '', isArgument, negated } = z.globalRegistry.get(field) ?? {};
  const omitted = z.safeParse(field, undefined);
  if (isArgument) {
    command.argument(omitted.success ? `[${name}]` : `<${name}>`, description);
    return;
  }
  const flag = flagOf(name);
  const [value = ''] = /^<.*?> /.exec(description) ?? [];
  const option = new Option(`${flag} ${value}`.trim(), description.slice(value.length));
  option.makeOptionMandatory(!omitted.success);
  if (omitted.data) option.default(String(omitted.data));
  command.addOption(option);
  if (negated) command.option(flag.replace('--', '--no-'), String(negated));
}

const flagOf = (field: string) => `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

async function readOptions<Options extends z.ZodType>(command: Command, options: Options) {
  const named = command.registeredArguments.map((argument, index) => [argument.name(), command.args[index]]);
  const parsed = await options.safeParseAsync({ ...command.opts(), ...Object.fromEntries(named) });
  if (parsed.success) return parsed.data;
  // Does not use commander's own parsers: their errors repeat the value, which may be a password.
  return command.error(`error: ${parsed.error.issues.map((issue) => describe(command, issue)).join('; ')}`);
}

/** For example "--panel-user must be a whole number from 1". A rule about several options names them in its message. */
function describe(command: Command, issue: z.core.$ZodIssue): string {
  const [field] = issue.path;
  if (field === undefined) return issue.message;
  const isArgument = command.registeredArguments.some((argument) => argument.name() === field);
  const name = isArgument ? String(field).toUpperCase() : flagOf(String(field));
  return describeIssue({ ...issue, path: [name] });
}
