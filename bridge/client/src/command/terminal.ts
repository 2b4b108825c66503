/** Reads from the terminal and writes to it: text that controls nothing, in color where that is wanted. */
import { createInterface } from 'node:readline';

export const isForPeople = ({ json }: { json?: boolean | undefined }): boolean =>
  process.stdout.isTTY && !json;

export const print = (line: string): void =>
  void process.stdout.write(`${process.stdout.isTTY ? harmless(line) : line}\n`);

/** To a person, beside the output. */
export const say = (text: string): void => void process.stderr.write(`${harmless(text)}\n`);

/** Writes control characters, and those that reverse text, as escapes. Keeps line breaks and tabs. */
export const harmless = (text: string): string =>
  text.replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return `\\u${code.padStart(4, '0')}`;
  });

/** NO_COLOR wins; Node reads the other variables. */
export const bold = (text: string): string =>
  process.env['NO_COLOR'] || !process.stdout.hasColors?.() ? text : `\u001b[1m${text}\u001b[22m`;

/** Resolves to the next line of standard input, or to an empty one at its end. A terminal does not show a hidden one. */
export async function ask(question: string, { isHidden }: { isHidden: boolean }): Promise<string> {
  const { stdin: input, stderr } = process;
  // As a terminal, readline gets each key, and has no output to show it. Otherwise Ctrl-C remains a signal.
  const lines = createInterface({ input, terminal: isHidden && input.isTTY });
  lines.once('SIGINT', () => process.emit('SIGINT'));
  // Only now: before, the terminal would show what is typed.
  if (input.isTTY) stderr.write(harmless(question));
  const { value = '' } = await lines[Symbol.asyncIterator]().next();
  lines.close();
  if (isHidden && input.isTTY) stderr.write('\n');
  return value.trim();
}

/** Hides warnings of Node itself, such as those of its experimental functions. */
export function prepareOutput(): void {
  process.removeAllListeners('warning');
  // A reader such as `head` closes the output when it has enough.
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code !== 'EPIPE') throw failure;
    process.exit();
  });
}
