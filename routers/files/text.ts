/** How the text of a file is encoded, and how much of it is read and written. */

/** Of a file: what is shown of one, and the most that is written. */
export const fileTextBytesMax = 262_144;

/** Each but UTF-8 with its byte order mark, by which it is told. */
export const writtenEncodings = ['utf-8', 'utf-16le', 'utf-16be'] as const;
type WrittenEncoding = (typeof writtenEncodings)[number];

/** The last: bytes that are no UTF-8 are shown as U+FFFD, so that what was there is not to be had from the text. */
export const shownEncodings = [...writtenEncodings, 'lossy'] as const;
export type ShownEncoding = (typeof shownEncodings)[number];

const mark = '\ufeff';

export function encodeText(text: string, encoding: WrittenEncoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  const bytes = Buffer.from(text.startsWith(mark) ? text : mark + text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}
