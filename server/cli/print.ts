/** Prints a command's result or failure. */
export class CommandError extends Error {}

/** Replaces control and bidirectional characters, which may come from customers, with `?`. */
export const printable = (text: string) => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '?');

export type Column<Row> = (keyof Row & string) | readonly [heading: string, read: (row: Row) => unknown];

export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty: string): string {
  if (rows.length === 0) return empty;
  const headings = columns.map((column) => (typeof column === 'string' ? column : column[0]));
  const lines = [
    headings.map((heading) => heading.replaceAll('_', ' ').toUpperCase()),
    ...rows.map((row) =>
      columns.map((column) => cell(typeof column === 'string' ? row[column] : column[1](row))),
    ),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  const align = (line: string[]) => line.map((text, index) => text.padEnd(widths[index] ?? 0)).join('  ');
  return lines.map((line) => align(line).trimEnd()).join('\n');
}

function cell(value: unknown): string {
  if (value === null) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
}
