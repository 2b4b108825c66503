/** Encodings of a file's text, and the limit for both reading and writing it. */

export const fileTextBytesMax = 262_144;

/** UTF-16 text needs its byte order mark, because only the mark identifies the encoding. */
export const writtenEncodings = ['utf-8', 'utf-16le', 'utf-16be'] as const;
type WrittenEncoding = (typeof writtenEncodings)[number];

/** `lossy`: U+FFFD replaces the bytes that are not UTF-8, so the text has lost them. */
export const shownEncodings = [...writtenEncodings, 'lossy'] as const;
export type ShownEncoding = (typeof shownEncodings)[number];

const mark = '\ufeff';

export function encodeText(text: string, encoding: WrittenEncoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  const bytes = Buffer.from(text.startsWith(mark) ? text : mark + text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}
