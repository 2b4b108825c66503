/** Runs one operation: completes its input, asks before it destroys something, sends it, and prints the answer. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { nextPage } from '../pages.ts';
import type { Input } from '../request.ts';
import { type Connection, send } from '../send.ts';
import { followConsole } from './console.ts';
import { wrongUse } from './failures.ts';
import type { Fields } from './fields.ts';
import { type DescribedCall, kebabCase } from './names.ts';
import { show } from './output.ts';
import { ask, isForPeople, print } from './terminal.ts';

export interface Options {
  json?: boolean;
  yes?: boolean;
  /** The path of a file, or `-`. */
  input?: string;
  idempotencyKey?: string;
  follow?: boolean;
}

export interface Run {
  connection: Connection;
  operation: DescribedCall;
  fields: Fields;
}

export async function run({ connection, operation, fields }: Run, given: Input, options: Options) {
  const input = { ...(options.input !== undefined && (await readBody(options.input))), ...given };
  requireFields(fields, input);
  if (operation.described['x-destructive'] && !options.yes) await requireConsent(operation, input);
  const call = { operation, input, options: { idempotencyKey: options.idempotencyKey } };
  if (options.follow) return followConsole(connection, call, options);
  let json = '';
  const onText = (text: string) => {
    json = text;
  };
  const answer = (await send(connection, { ...call, onText })) as Input;
  if (!isForPeople(options)) return print(json);
  const { pagination } = operation;
  if (!pagination) return show(answer, options);
  const { [pagination.more ?? '']: _, ...page } = answer;
  show(page, options);
  const next = Array.isArray(page[pagination.list]) ? nextPage(pagination, answer, input) : undefined;
  if (next !== undefined) print(`There is more: add --${kebabCase(pagination.parameter)} ${next}`);
}

async function readBody(path: string): Promise<Input> {
  try {
    const body = JSON.parse(await (path === '-' ? text(process.stdin) : readFile(path, 'utf8')));
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch (cause) {
    throw wrongUse(`--input ${path}: ${cause instanceof Error ? cause.message : cause}`);
  }
  throw wrongUse(`--input ${path}: the body must be a JSON object`);
}

function requireFields({ required, others }: Fields, input: Input): void {
  const missing = required.map((names) => names.filter((name) => !Object.hasOwn(input, name)));
  const [fewest = []] = missing.sort((a, b) => a.length - b.length);
  const flags = fewest.map((name) => others.find((field) => field.name === name)?.flag ?? name);
  if (flags.length > 0) throw wrongUse(`Add ${flags.join(' and ')}`);
}

/** @throws {Error} when the person does not agree */
async function requireConsent({ described: { summary } }: DescribedCall, input: Input): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw wrongUse(`"${summary}" needs --yes, because there is no terminal on which to ask`);
  const values = Object.values(input).map(String).join(', ');
  const answer = await ask(`${summary}: ${values}? [y/N] `, { isHidden: false });
  if (!/^y(es)?$/i.test(answer)) throw new Error('Nothing was done');
}
