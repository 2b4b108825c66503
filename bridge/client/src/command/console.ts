/** Follows the console of a server. The API has no cursor for it, so each read is compared with the one before. */
import { setTimeout as pause } from 'node:timers/promises';
import { GamehostError } from '../errors.ts';
import type { Schema } from '../operations.ts';
import type { Input } from '../request.ts';
import { type Call, type Connection, send } from '../send.ts';
import type { DescribedCall } from './names.ts';
import { isForPeople, print, say } from './terminal.ts';

/** The API reads a console at most once in this time. */
const intervalMs = 5000;

interface Console {
  state: string;
  lines: string[];
}

/**
 * Prints the newest lines and then each new one until the process ends: as text for people, and otherwise as one JSON object
 * a line.
 * @throws {GamehostError} when the API refuses the read for a reason that does not pass
 */
export async function followConsole(
  connection: Connection,
  { operation, input }: { operation: DescribedCall; input: Input },
  options: { json?: boolean | undefined },
): Promise<never> {
  const isText = isForPeople(options);
  const { maximum, default: initial } = linesSchemaOf(operation);
  const call = { operation, input: { ...input, lines: maximum } };
  for (let known: Console | null = null; ; await pause(intervalMs)) {
    const read = await readConsole(connection, call).catch(passing);
    if (!read) continue;
    const lines = known
      ? newLines(known.lines, read.lines)
      : read.lines.slice(-Number(input['lines'] ?? initial));
    for (const line of lines) print(isText ? line : JSON.stringify({ line }));
    if (read.state !== (known?.state ?? 'running')) {
      if (isText) say(`The server is ${read.state}.`);
      else print(JSON.stringify({ state: read.state }));
    }
    known = read;
  }
}

const linesSchemaOf = ({ described: { parameters = [] } }: DescribedCall): Schema =>
  parameters.find(({ name }) => name === 'lines')?.schema ?? {};

async function readConsole(connection: Connection, call: Call): Promise<Console> {
  const output = (await send(connection, call)) as { console: Console };
  return output.console;
}

function passing(failure: unknown): null {
  if (!(failure instanceof GamehostError)) throw failure;
  const { status, code } = failure;
  const passes = [429, 502, 503].includes(status ?? 0) || code === 'connection_failed' || code === 'timeout';
  if (!passes) throw failure;
  say(failure.message);
  return null;
}

/** The lines after the longest end of the known ones with which the read begins. */
function newLines(known: readonly string[], read: readonly string[]): readonly string[] {
  for (let size = Math.min(known.length, read.length); size > 0; size--)
    if (known.slice(-size).every((line, index) => line === read[index])) return read.slice(size);
  return read;
}
