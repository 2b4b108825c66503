/** How the lines of a text end: browsers' fields know LF alone, and a file keeps what it had. */

type LineEnd = '\n' | '\r\n' | 'mixed';

export function lineEndOf(text: string): LineEnd {
  const lineBreaks = new Set(text.match(/\r\n?|\n/g));
  if (lineBreaks.size === 0) return '\n';
  const [only] = lineBreaks;
  return lineBreaks.size === 1 && (only === '\n' || only === '\r\n') ? only : 'mixed';
}

/** As a field holds it. */
export const toLines = (text: string) => text.replace(/\r\n?/g, '\n');

/** Where they were mixed all end in LF. */
export const withLineEnd = (text: string, lineEnd: LineEnd) =>
  lineEnd === '\r\n' ? toLines(text).replaceAll('\n', '\r\n') : toLines(text);
