/** Lines of a console as they come: what was read before, and after it what is new. */

export interface ConsoleLine {
  /** Stays the same while the line is shown. */
  number: number;
  text: string;
}

/** Older ones are dropped. */
const keptMax = 1000;

/**
 * @param found the newest lines of the console, which begin somewhere in those that are shown
 * @returns the shown ones themselves where there is nothing new
 */
export function joinLines(shown: readonly ConsoleLine[], found: readonly string[]): readonly ConsoleLine[] {
  const added = found.slice(overlapOf(shown, found));
  if (added.length === 0) return shown;
  const next = (shown.at(-1)?.number ?? 0) + 1;
  const lines = added.map((text, index) => ({ number: next + index, text }));
  return [...shown, ...lines].slice(-keptMax);
}

/** With how many of the found lines the shown ones end. */
function overlapOf(shown: readonly ConsoleLine[], found: readonly string[]): number {
  for (let length = Math.min(shown.length, found.length); length > 0; length -= 1) {
    const start = shown.length - length;
    if (found.slice(0, length).every((text, index) => shown[start + index]?.text === text)) return length;
  }
  return 0;
}
