/** Writes to the terminal: text that controls nothing, fitted to columns, in color where that is wanted. */
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

export function bold(text: string): string {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  const isWanted = FORCE_COLOR ? FORCE_COLOR !== '0' : TERM !== 'dumb';
  return isWanted && !NO_COLOR ? `\u001b[1m${text}\u001b[22m` : text;
}

const characters = new Intl.Segmenter();
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u;

/** In columns: most characters of East Asia and emoji take two. */
export const widthOf = (text: string): number =>
  [...characters.segment(text)].reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0);

/** Pads or cuts the text to the width. */
export function toWidth(text: string, width: number): string {
  const missing = width - widthOf(text);
  if (missing >= 0) return text + ' '.repeat(missing);
  let kept = '';
  for (const { segment } of characters.segment(text)) {
    if (widthOf(kept + segment) >= width) break;
    kept += segment;
  }
  return toWidth(`${kept}…`, width);
}

/** Resolves to false unless the person says yes. */
export async function confirm(question: string): Promise<boolean> {
  process.stderr.write(`${harmless(question)} [y/N] `);
  // As plain lines, so that Ctrl-C remains a signal.
  const lines = createInterface({ input: process.stdin, terminal: false });
  const answer = await new Promise<string>((resolve) =>
    lines.once('line', resolve).once('close', () => resolve('')),
  );
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** Hides warnings of Node itself, such as that both NO_COLOR and FORCE_COLOR are set. */
export function prepareOutput(): void {
  process.removeAllListeners('warning');
  // A reader such as `head` closes the output when it has enough.
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code !== 'EPIPE') throw failure;
    process.exit();
  });
}
