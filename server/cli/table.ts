/** Text tables with aligned columns, safe to print on a terminal whatever the cells contain. */

/** @param empty printed instead of a table without rows */
export function table<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  empty: string,
): string {
  if (rows.length === 0) return empty;
  const headings = columns.map((column) => column.replaceAll('_', ' ').toUpperCase());
  const lines = [headings, ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cell(value: unknown): string {
  if (value === null) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
}

/** Replaces control and bidirectional characters, which may come from customers, by `?`. */
export const printable = (text: string) => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '?');
