/** The table in Markdown: a row for each comparison, with the lead, taken round by round. */
import type { Sample } from './load.ts';

const header = [
  ...['work', 'ours', 'against', 'CPU us: ours', 'theirs', 'requests/s: ours', 'theirs'],
  ...['lead by CPU (min to max)', 'lead by requests/s'],
];

/** Above 1, ours needs less CPU, or answers more requests. */
export function compare(ours: Sample[], theirs: Sample[]): string[] {
  const both = (figure: keyof Sample) =>
    [ours, theirs].map((samples) => medianOf(samples.map((sample) => sample[figure])).toFixed(0));
  const lead = (read: (our: Sample, their: Sample) => number) => {
    const ratios = ours.flatMap((our, round) => (theirs[round] ? [read(our, theirs[round])] : []));
    const shown = [medianOf(ratios), Math.min(...ratios), Math.max(...ratios)].map((ratio) =>
      ratio.toFixed(2),
    );
    return `${shown[0]} (${shown[1]} to ${shown[2]})`;
  };
  return [
    ...[...both('cpuMicroseconds'), ...both('perSecond')],
    lead((our, their) => their.cpuMicroseconds / our.cpuMicroseconds),
    lead((our, their) => our.perSecond / their.perSecond),
  ];
}

function medianOf(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

export function markdownTable(rows: string[][]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const toLine = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [header, widths.map((width) => '-'.repeat(width)), ...rows].map(toLine).join('\n');
}
