/** What all commands share: --json, an example in the help, options validated by a zod schema, and one report at the end. */
import type { Command } from 'commander';
import type { z } from 'zod';
import { describeIssue } from '../../routers/format-zod-error.ts';
import { escapeControls } from '../observability/escape-controls.ts';

/** How every help text calls the command line. */
export const callName = 'npm run -s cli --';

/** The result of a command: for programs, in the API's field names, and for people. */
export interface Report {
  json: unknown;
  text: string;
}

/** The command failed; the message is for the operator. */
export class CommandError extends Error {}

/** Adds a command below a noun, or below the program. */
export const addVerb = (parent: Command, name: string, { summary, example }: VerbHelp) =>
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

/** An action for commander: validates the options (exit code 2 if they are invalid), runs, prints the report. */
export function verb<Options extends z.ZodType>(
  schema: Options,
  run: (options: z.output<Options>) => Report | Promise<Report>,
) {
  return async function act(this: Command): Promise<void> {
    const { json, text } = await run(await readOptions(this, schema));
    const isForPrograms = this.opts()['json'] === true;
    process.stdout.write(`${isForPrograms ? escapeControls(JSON.stringify(json, null, 2)) : text}\n`);
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
