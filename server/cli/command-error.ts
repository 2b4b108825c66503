/** How a command fails, in words for the operator. */

/** The command failed; the message is for the operator. */
export class CommandError extends Error {}

/** Replaces control and bidirectional characters, which may come from customers, by `?`. */
export const printable = (text: string) => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '?');

/** A file that changes nothing, with its mistakes, at most so many of them. */
export interface Mistake {
  /** Stands before it, such as "line 3: ". */
  where: string;
  what: string;
}

const equalShown = 5;

/** A line each, but of equal mistakes the first few, and then how many more there are. */
export function listMistakes(mistakes: readonly Mistake[]): string[] {
  const counts = new Map<string, number>();
  const shown = mistakes.flatMap(({ where, what }) => {
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    return count > equalShown ? [] : [`${where}${what}`];
  });
  const left = [...counts].flatMap(([what, count]) =>
    count > equalShown ? [`and ${count - equalShown} more: ${what}`] : [],
  );
  return [...shown, ...left];
}

export function notImported(path: string, mistakes: readonly Mistake[], note = ''): CommandError {
  const listed = listMistakes(mistakes);
  const named = listed.slice(0, 200).map((mistake) => `  ${mistake}`);
  const more = listed.length - named.length;
  const lines = more > 0 ? [...named, `  and ${more} more`] : named;
  return new CommandError([`${path} was not imported${note}:`, ...lines].join('\n'));
}
