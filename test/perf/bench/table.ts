/** Tables in Markdown, with columns padded so that a terminal shows them as well. */
import type { Spread } from './statistics.ts';

export function markdownTable(header: string[], rows: string[][]): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const toLine = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [toLine(header), toLine(rule), ...rows.map(toLine)].join('\n');
}

/** A median and, in brackets, its least and greatest. */
export const showSpread = ({ median, min, max }: Spread, show: (value: number) => string): string =>
  `${show(median)} (${show(min)} to ${show(max)})`;

export const showRatio = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
export const showWhole = (value: number): string => String(Math.round(value));
