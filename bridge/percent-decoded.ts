/** Part of a path with its percent escapes decoded; what is not well escaped is taken as it stands. */
export function percentDecoded(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
