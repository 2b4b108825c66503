/** Rows for people: aligned columns, safe to show on a terminal whatever the cells hold. */

/** The named columns of the rows, under their names in capitals; `nothing` stands for an empty table. */
export function table<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  nothing: string,
): string {
  if (rows.length === 0) return nothing;
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

/** Names and targets come from customers: what would steer a terminal, or turn its text around, is shown as `?`. */
export const printable = (text: string) => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '?');
