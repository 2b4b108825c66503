/** A group of commands for each tag of the host's description, with a command for each operation. */
import { Argument, type Command, Option } from 'commander';
import { type Description, readOperations } from '../operations.ts';
import { NotSignedInError } from './failures.ts';
import { type Field, readFields } from './fields.ts';
import type { Host } from './host.ts';
import { type DescribedCall, kebabCase, nameCommands } from './names.ts';
import { type Options, run } from './run.ts';
import { addUpload } from './upload.ts';
import { switchPlaceholder } from './values.ts';

/** After the command's own ones are added, which no group of a host replaces. */
export async function addOperations(program: Command, host: Host | null): Promise<void> {
  const [group, name] = process.argv.slice(2).filter((word) => !word.startsWith('-'));
  const needsGroup = group !== undefined && group !== 'help' && group !== 'completion';
  if (needsGroup && has(program, group)) return;
  try {
    if (!host) throw new NotSignedInError('You are not signed in to a host: run "gamehost login --url URL"');
    const groups = readGroups(await host.readDescription());
    const isKnown = !needsGroup || isCommand(groups, group, name);
    addGroups(program, host, isKnown ? groups : readGroups(await host.readDescription({ isFresh: true })));
  } catch (failure) {
    if (needsGroup) throw failure;
    program.addHelpText('after', `\n${failure instanceof Error ? failure.message : failure}`);
  }
}

interface Group {
  name: string;
  description: string;
  commands: Map<DescribedCall, string[]>;
  from: Description;
}

function readGroups(from: Description): Group[] {
  const operations = readOperations(from);
  const tags = [...new Set(operations.map(({ group }) => group))];
  return tags.map((tag) => ({
    name: kebabCase(tag),
    description: from.tags?.find(({ name }) => name === tag)?.description ?? '',
    commands: nameCommands(operations.filter(({ group }) => group === tag)),
    from,
  }));
}

function isCommand(groups: Group[], group: string, name: string | undefined): boolean {
  const found = groups.find((one) => one.name === group);
  if (!found || name === undefined) return found !== undefined;
  return [...found.commands.values(), 'help', 'upload'].flat().includes(name);
}

function addGroups(program: Command, host: Host, groups: Group[]): void {
  for (const { name, description, commands, from } of groups) {
    if (has(program, name)) continue;
    const group = program.command(name).description(description);
    for (const [operation, names] of commands) addOperation(group, names, { host, from, operation });
  }
  const servers = program.commands.find((group) => group.name() === 'servers');
  const operations = groups.flatMap(({ commands }) => [...commands.keys()]);
  const createLink = operations.find(({ name }) => name === 'createFileUploadLink');
  if (servers && createLink && !has(servers, 'upload')) addUpload(servers, host, createLink);
}

const has = (parent: Command, name: string) => parent.commands.some((command) => command.name() === name);

interface Context {
  host: Host;
  from: Description;
  operation: DescribedCall;
}

function addOperation(group: Command, [name = '', ...aliases]: string[], { host, from, operation }: Context) {
  const { summary, description } = operation.described;
  const fields = readFields(operation, from.components.schemas);
  const given: Record<string, unknown> = {};
  const command = group.command(name).aliases(aliases).summary(summary);
  command.description(`${summary}.\n\n${description}`);
  for (const field of fields.path) command.addArgument(argumentOf(field, given));
  for (const option of fields.others.flatMap((field) => optionsOf(field, given))) command.addOption(option);
  addOwnOptions(command, operation);
  command.action(() => {
    const keys = new Set(Object.keys(from.paths).flatMap((path) => path.match(/\{\w+\}/g) ?? []));
    const isKey = (list: string, field: string) =>
      keys.has(`{${field}}`) || keys.has(`{${singular(list)}_${field}}`);
    return run({ connection: host.connection, operation, fields, isKey }, given, command.opts<Options>());
  });
}

const singular = (list: string) => list.replace(/ies$/, 'y').replace(/s$/, '');

function argumentOf(field: Field, given: Record<string, unknown>): Argument {
  return new Argument(`<${field.name}>`, field.description).argParser((text) => {
    given[field.name] = field.read(text);
  });
}

/** `--per-page`, and hidden from the help `--per_page`. */
function optionsOf({ name, flag, placeholder, ...field }: Field, given: Record<string, unknown>): Option[] {
  const value = placeholder === switchPlaceholder ? `[${placeholder}]` : `<${placeholder}>`;
  const flags = name === kebabCase(name) ? [flag] : [flag, `--${name}`];
  return flags.map((one) =>
    new Option(`${one} ${value}`, field.description)
      .hideHelp(one !== flag)
      .preset('true')
      .argParser((text) => {
        given[name] = field.read(text, given[name]);
      }),
  );
}

function addOwnOptions(command: Command, { name, isIdempotent, described }: DescribedCall): void {
  if (described.requestBody)
    command.option(
      '--input <file>',
      'A JSON file with the body, or -: standard input. Options replace its fields.',
    );
  if (isIdempotent)
    command.option(
      '--idempotency-key <text>',
      'Repeat the command with the same text, and the write is done once.',
    );
  if (described['x-destructive']) command.option('--yes', 'Do not ask first.');
  if (name === 'getConsoleOutput')
    command.option('--follow', 'Show new lines until you press Ctrl-C; as JSON, one object for each line.');
  command.option('--json', 'Print JSON, as when the output is not a terminal.');
}
