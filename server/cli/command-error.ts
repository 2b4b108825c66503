/** How a command fails, in words for the operator. */

/** The command failed; the message is for the operator. */
export class CommandError extends Error {}

/** Replaces control and bidirectional characters, which may come from customers, by `?`. */
export const printable = (text: string) => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '?');

/** A file that changes nothing, with its mistakes, at most so many of them. */
export function notImported(path: string, mistakes: readonly string[], note = ''): CommandError {
  const named = mistakes.slice(0, 200).map((mistake) => `  ${mistake}`);
  const more = mistakes.length - named.length;
  const lines = more > 0 ? [...named, `  and ${more} more`] : named;
  return new CommandError([`${path} was not imported${note}:`, ...lines].join('\n'));
}
