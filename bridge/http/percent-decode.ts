/** Part of a path with its percent escapes decoded; malformed escapes are left as they are. */
export function percentDecode(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
