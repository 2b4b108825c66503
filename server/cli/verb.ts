/** What all verbs share: --json, an example in the help, options judged by a zod shape, and one report at the end. */
import type { Command } from 'commander';
import type { z } from 'zod';
import { describeIssue } from '../../routers/bad-input.ts';

/** How the command line is called, in every help text. */
export const callName = 'npm run -s cli --';

/** What a verb has to say: to programs, in the names of the wire, and to people. */
export interface Report {
  json: unknown;
  text: string;
}

/** The command could not do what it was asked to; the message is for the operator. */
export class CommandError extends Error {}

/** Begins a verb below a noun, or below the program. */
export const addVerb = (parent: Command, name: string, { summary, example }: VerbHelp) =>
  parent
    .command(name)
    .description(summary)
    .addHelpText('after', `\nExample:\n  ${callName} ${example}`)
    .option('--json', 'print JSON, for programs');

interface VerbHelp {
  summary: string;
  /** The rest of a call that works, after the call name. */
  example: string;
}

/** An action for commander: reads the options by their shape (exit code 2 if they break it), works, reports. */
export function verb<Shape extends z.ZodType>(
  shape: Shape,
  work: (options: z.output<Shape>) => Report | Promise<Report>,
) {
  return async function act(this: Command): Promise<void> {
    const { json, text } = await work(await readOptions(this, shape));
    const isForPrograms = this.opts()['json'] === true;
    process.stdout.write(`${isForPrograms ? JSON.stringify(json, null, 2) : text}\n`);
  };
}

async function readOptions<Shape extends z.ZodType>(command: Command, shape: Shape) {
  const named = command.registeredArguments.map((argument, index) => [argument.name(), command.args[index]]);
  const parsed = await shape.safeParseAsync({ ...command.opts(), ...Object.fromEntries(named) });
  if (parsed.success) return parsed.data;
  // Not by commander's own parsers: their errors repeat the value, which may be a password.
  return command.error(`error: ${parsed.error.issues.map((issue) => describe(command, issue)).join('; ')}`);
}

/** "--panel-user must be a whole number from 1"; a rule about several options speaks for itself. */
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
