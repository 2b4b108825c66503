/** Makes an identifier safe to stand in a path, so that none can lead a call elsewhere. */

const notASegment = new Set(['', '.', '..']);

/** The encoded identifier; null for one that no encoding makes harmless, or that is no proper text. */
export function pathSegment(identifier: string): string | null {
  if (notASegment.has(identifier)) return null;
  try {
    return encodeURIComponent(identifier);
  } catch {
    return null;
  }
}
