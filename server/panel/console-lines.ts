/** Console lines as callers get them: bounded, and without anything that a terminal would act on. */
import { consoleLinesMax } from '../../models/bounds.ts';
import { cleanConsoleText, cut, withoutEscapes } from '../../routers/schemas/text.ts';

const lineLengthMax = 2_000;
/** Bytes of UTF-8, all lines together. */
const textBytesMax = 128 * 1024;
const rawLengthMax = 8 * lineLengthMax;

export function createLineBuffer() {
  let texts: string[] = [];
  return {
    add(text: string) {
      texts.push(cut(text, rawLengthMax));
      if (texts.length >= 2 * consoleLinesMax) texts = texts.slice(-consoleLinesMax);
    },
    isEmpty: () => texts.length === 0,
    /** Oldest first. */
    read: () => fitBytes(splitNewest(texts).map(cleanLine)),
  };
}

function splitNewest(texts: readonly string[]): string[] {
  let lines: string[] = [];
  for (const text of texts.toReversed()) {
    if (lines.length >= consoleLinesMax) break;
    lines = [...splitText(text), ...lines];
  }
  return lines.slice(-consoleLinesMax);
}

/** Leaves cleaning, the slowest step, to the lines that are kept. U+2028 and U+2029 end a line, as they do in programs. */
const splitText = (text: string): string[] => withoutEscapes(text).split(/\r?\n|[\u2028\u2029]/);

function cleanLine(line: string): string {
  // A carriage return overwrites the line. A pattern for trailing carriage returns would take quadratic time.
  const last = line.split('\r').findLast((part) => part !== '') ?? '';
  const clean = cut(cleanConsoleText(last.replaceAll('\t', '    ')), lineLengthMax);
  // A copy, because a slice would keep the whole message in memory.
  return Buffer.from(clean).toString();
}

function fitBytes(lines: readonly string[]): string[] {
  let bytes = 0;
  const first = lines.findLastIndex((line) => {
    bytes += Buffer.byteLength(line);
    return bytes > textBytesMax;
  });
  return lines.slice(first + 1);
}
