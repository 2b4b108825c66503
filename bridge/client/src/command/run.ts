/** Runs one operation: completes its input, asks before it destroys something, sends it, and prints the answer. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { nextPage } from '../pages.ts';
import type { Input } from '../request.ts';
import { type Call, type Connection, send } from '../send.ts';
import { followConsole } from './console.ts';
import { UsageError } from './failures.ts';
import type { Fields } from './fields.ts';
import { type DescribedCall, kebabCase } from './names.ts';
import { type IsKey, layOut } from './output.ts';
import { bold, confirm, harmless, isForPeople, print } from './terminal.ts';

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
  isKey: IsKey;
}

export async function run({ connection, operation, fields, isKey }: Run, given: Input, options: Options) {
  const input = { ...(options.input !== undefined && (await readBody(options.input))), ...given };
  requireFields(fields, input);
  if (operation.described['x-destructive'] && !options.yes) await requireConsent(operation, input);
  if (options.follow) return followConsole(connection, { operation, input }, options);
  const { idempotencyKey } = options;
  const answer = await sendForText(connection, { operation, input, options: { idempotencyKey } });
  if (!isForPeople(options)) return print(answer.text);
  const lines = layOutPage(operation, answer.value as Input, { input, isKey });
  process.stdout.write(`${lines.join('\n')}\n`);
}

function layOutPage(
  { pagination }: DescribedCall,
  page: Input,
  { input, isKey }: { input: Input; isKey: IsKey },
): string[] {
  const layout = { width: process.stdout.columns || 80, isKey };
  if (!pagination || !Array.isArray(page[pagination.list])) return layOut(page, layout);
  const { [pagination.more ?? '']: _, ...shown } = page;
  const next = nextPage(pagination, page, { [pagination.size ?? '']: pagination.length, ...input });
  const option = `--${kebabCase(pagination.parameter)} ${next}`;
  return [
    ...layOut(shown, layout),
    ...(next === undefined ? [] : [bold(harmless(`There is more: add ${option}`))]),
  ];
}

async function readBody(path: string): Promise<Input> {
  try {
    const body = JSON.parse(await (path === '-' ? text(process.stdin) : readFile(path, 'utf8')));
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch (cause) {
    throw new UsageError(`--input ${path}: ${cause instanceof Error ? cause.message : cause}`);
  }
  throw new UsageError(`--input ${path}: the body must be a JSON object`);
}

function requireFields({ required, others }: Fields, input: Input): void {
  const missing = required.map((names) => names.filter((name) => !Object.hasOwn(input, name)));
  const [fewest = []] = missing.sort((a, b) => a.length - b.length);
  const flags = fewest.map((name) => others.find((field) => field.name === name)?.flag ?? name);
  if (flags.length > 0) throw new UsageError(`Add ${flags.join(' and ')}`);
}

/** @throws {Error} when the person does not agree */
async function requireConsent({ described: { summary } }: DescribedCall, input: Input): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError(`"${summary}" needs --yes, because there is no terminal on which to ask`);
  const values = Object.values(input).map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  );
  if (!(await confirm(`${summary}: ${values.join(', ')}?`))) throw new Error('Nothing was done');
}

/** Resolves to the JSON as the API sent it, too: JavaScript would change long numbers and the order of some fields. */
async function sendForText(connection: Connection, call: Call): Promise<{ text: string; value: unknown }> {
  let copy = new Response();
  const fetch: Connection['fetch'] = async (...request) => {
    const response = await connection.fetch(...request);
    copy = response.clone();
    return response;
  };
  const value = await send({ ...connection, fetch }, call);
  return { text: await copy.text(), value };
}
