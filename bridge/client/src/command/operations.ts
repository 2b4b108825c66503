/** A group of commands for each tag of the host's description, with a command for each operation. */
import { Argument, Command, Option } from 'commander';
import { type Description, readOperations } from '../operations.ts';
import { readDescription } from './description.ts';
import { notSignedIn } from './failures.ts';
import { type Field, readFields } from './fields.ts';
import type { Host } from './host.ts';
import { type DescribedCall, kebabCase, nameCommands } from './names.ts';
import { type Options, run } from './run.ts';
import { addUpload } from './upload.ts';
import type { Schemas } from './values.ts';

/** After the command's own ones are added, which no group of a host replaces. */
export async function addOperations(program: Command, host: Host | null): Promise<void> {
  const [group, name] = process.argv.slice(2).filter((word) => !word.startsWith('-'));
  const needsGroup = group !== undefined && group !== 'help' && group !== 'completion';
  if (needsGroup && has(program, group)) return;
  try {
    if (!host) throw notSignedIn('You are not signed in to a host: run "gamehost login --url URL"');
    const create = async (isFresh: boolean) =>
      createGroups(program, host, await readDescription(host.connection, { isFresh }));
    const kept = await create(false);
    const groups = needsGroup && !isCommand(kept, group, name) ? await create(true) : kept;
    for (const one of groups) if (!has(program, one.name())) program.addCommand(one);
  } catch (failure) {
    if (needsGroup) throw failure;
    program.addHelpText('after', `\n${failure instanceof Error ? failure.message : failure}`);
  }
}

function isCommand(groups: Command[], group: string, name: string | undefined): boolean {
  const found = groups.find((one) => one.name() === group);
  if (!found || name === undefined || name === 'help') return found !== undefined;
  return found.commands.some((command) => [command.name(), ...command.aliases()].includes(name));
}

const has = (parent: Command, name: string) => parent.commands.some((command) => command.name() === name);

function createGroups(program: Command, host: Host, description: Description): Command[] {
  const { tags, components } = description;
  const operations = readOperations(description);
  const createLink = operations.find(({ name }) => name === 'createFileUploadLink');
  return [...new Set(operations.map(({ group }) => group))].map((tag) => {
    const group = new Command(kebabCase(tag) || tag).copyInheritedSettings(program);
    group.description(tags?.find(({ name }) => name === tag)?.description ?? '');
    const named = nameCommands(operations.filter((operation) => operation.group === tag));
    for (const [operation, names] of named)
      try {
        addOperation(group, { host, operation, names, ...components });
      } catch {} // it has the name of another one, or an odd option
    if (group.name() === 'servers' && createLink && !has(group, 'upload')) addUpload(group, host, createLink);
    return group;
  });
}

interface Described {
  host: Host;
  operation: DescribedCall;
  names: string[];
  schemas: Schemas;
}

function addOperation(group: Command, { host, operation, names, schemas }: Described): void {
  const [name = '', ...aliases] = names;
  const { summary, description } = operation.described;
  const fields = readFields(operation, schemas);
  const given: Record<string, unknown> = {};
  const keep = (field: Field) => (text: string) => {
    given[field.name] = field.read(text, given[field.name]);
  };
  const command = new Command(name).copyInheritedSettings(group).aliases(aliases).summary(summary);
  command.description(`${summary}.\n\n${description}`);
  for (const field of fields.path)
    command.addArgument(new Argument(`<${field.name}>`, field.description).argParser(keep(field)));
  for (const field of fields.others) command.addOption(optionOf(field).argParser(keep(field)));
  addOwnOptions(command, operation);
  command.action(() =>
    run({ connection: host.connection, operation, fields }, given, command.opts<Options>()),
  );
  group.addCommand(command);
}

/** `--per-page`, which the field's own name `--per_page` calls as well. */
function optionOf({ name, flag, placeholder, description }: Field): Option {
  const flags = name === kebabCase(name) ? flag : `--${name}, ${flag}`;
  const isSwitch = placeholder === 'boolean';
  return new Option(`${flags} ${isSwitch ? '[boolean]' : `<${placeholder}>`}`, description).preset('true');
}

function addOwnOptions(command: Command, { name, isIdempotent, described }: DescribedCall): void {
  const body = 'A JSON file with the body, or -: standard input. Options replace its fields.';
  if (described.requestBody) command.option('--input <file>', body);
  const repeat = 'Repeat the command with the same text, and the write is done once.';
  if (isIdempotent) command.option('--idempotency-key <text>', repeat);
  if (described['x-destructive']) command.option('--yes', 'Do not ask first.');
  const follow = 'Show new lines until you press Ctrl-C; as JSON, one object for each line.';
  if (name === 'getConsoleOutput') command.option('--follow', follow);
  command.option('--json', 'Print JSON, as when the output is not a terminal.');
}
