/** Follows the console of a server. The API has no cursor for it, so each read is compared with the one before. */
import { setTimeout as pause } from 'node:timers/promises';
import { GamehostError } from '../errors.ts';
import type { Input } from '../request.ts';
import { type Connection, send } from '../send.ts';
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
 * a line. Once it has begun, it waits for a host that is away.
 */
export async function followConsole(
  connection: Connection,
  { operation, input }: { operation: DescribedCall; input: Input },
  options: { json?: boolean | undefined },
): Promise<never> {
  const isText = isForPeople(options);
  const { maximum, default: initial } = operation.described.parameters?.find(isLines)?.schema ?? {};
  const call = { operation, input: { ...input, lines: maximum } };
  const read = async () => ((await send(connection, call)) as { console: Console }).console;
  const { state, lines } = await read();
  let known = { state: 'running', lines: lines.slice(0, -Number(input['lines'] ?? initial)) };
  for (let next: Console = { state, lines }; ; next = (await read().catch(passing)) ?? known) {
    for (const line of newLines(known.lines, next.lines)) print(isText ? line : JSON.stringify({ line }));
    if (next.state !== known.state) {
      if (isText) say(`The server is ${next.state}.`);
      else print(JSON.stringify({ state: next.state }));
    }
    known = next;
    await pause(intervalMs);
  }
}

/** Also a host that asks for a long wait, or cannot renew the sign-in now. */
function passing(failure: unknown): null {
  if (!(failure instanceof GamehostError)) throw failure;
  const { status, code, message } = failure;
  const passes = [429, 502, 503].includes(status ?? 0) || code === 'connection_failed' || code === 'timeout';
  if (!passes) throw failure;
  say(message);
  return null;
}

const isLines = ({ name }: { name: string }) => name === 'lines';

/** The lines after the longest end of the known ones with which the read begins. */
function newLines(known: readonly string[], read: readonly string[]): readonly string[] {
  for (let size = Math.min(known.length, read.length); size > 0; size--)
    if (known.slice(-size).every((line, index) => line === read[index])) return read.slice(size);
  return read;
}
