/** The lines of a console as callers get them: bounded, and without what a terminal would act on. */
import { consoleLinesMax } from '../../models/bounds.ts';
import { cleanConsoleText, cut, withoutEscapes } from '../../routers/schemas/text.ts';

/** In UTF-16 code units. */
const lineLengthMax = 2_000;
/** Of UTF-8, all lines together. */
const textBytesMax = 128 * 1024;
/** What is looked at of a line, escape sequences included. */
const rawLengthMax = 8 * lineLengthMax;

/** Keeps the newest of the texts that a node sends, as they come. */
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

/** Only as many texts are split as the lines take. */
function splitNewest(texts: readonly string[]): string[] {
  let lines: string[] = [];
  for (const text of texts.toReversed()) {
    if (lines.length >= consoleLinesMax) break;
    lines = [...splitText(text), ...lines];
  }
  return lines.slice(-consoleLinesMax);
}

/** Into lines that are not cleaned yet, which takes longer than the rest. U+2028 and U+2029 end a line, as programs read them. */
const splitText = (text: string): string[] => withoutEscapes(text).split(/\r?\n|[\u2028\u2029]/);

function cleanLine(line: string): string {
  // A carriage return overwrites the line. Split, because a pattern for those at its end takes quadratic time.
  const last = line.split('\r').findLast((part) => part !== '') ?? '';
  const clean = cut(cleanConsoleText(last.replaceAll('\t', '    ')), lineLengthMax);
  // A copy, because a slice would keep the whole message in memory.
  return Buffer.from(clean).toString();
}

/** The newest lines that are within the bound. */
function fitBytes(lines: readonly string[]): string[] {
  let bytes = 0;
  const first = lines.findLastIndex((line) => {
    bytes += Buffer.byteLength(line);
    return bytes > textBytesMax;
  });
  return lines.slice(first + 1);
}
