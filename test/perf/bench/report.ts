/** The tables in Markdown: a row for each comparison, with the lead, taken round by round, and whether the aim is reached. */
import { aimOf, type Comparison } from './contenders.ts';
import { memoryMegabytes } from './machine.ts';
import type { Sample, Samples } from './measure.ts';

export interface Measured {
  work: { name: string; title: string };
  samples: Samples;
}

const header = [
  ...['work', 'ours', 'against', 'CPU us: ours', 'theirs', 'requests/s: ours', 'theirs'],
  ...['load busy: ours', 'theirs', 'lead by CPU (min to max)', 'lead by requests/s', 'aim'],
];

/** @param titles of contenders by their names */
export function comparisonTable(
  measured: Measured[],
  comparisons: Comparison[],
  titles: ReadonlyMap<string, string>,
): string {
  const rows = measured.flatMap(({ work, samples }) =>
    comparisons.flatMap((comparison) => {
      const named = [comparison.subject, comparison.against];
      const [ours, theirs] = named.map((name) => samples.get(name));
      if (!ours || !theirs) return [];
      const { byCpu, byRate } = lead(ours, theirs);
      const aim = aimOf(comparison, work.name);
      const both = (read: (sample: Sample) => number) => [ours, theirs].map((of) => medianOf(of, read));
      return [
        [
          ...[work.title, ...named.map((name) => titles.get(name) ?? name)],
          ...both(({ cpuMicroseconds }) => cpuMicroseconds).map(showWhole),
          ...both(({ perSecond }) => perSecond).map(showWhole),
          ...both(({ loadBusy }) => 100 * loadBusy).map((percent) => `${showWhole(percent)} %`),
          ...[showSpread(byCpu, showRatio), showSpread(byRate, showRatio)],
          aim === null ? '' : `${aim} ${reaches(aim, [byCpu, byRate]) ? 'reached' : 'MISSED'}`,
        ],
      ];
    }),
  );
  return markdownTable(header, rows);
}

const medianOf = (samples: Sample[], read: (sample: Sample) => number) => spreadOf(samples.map(read)).median;

/** Compares the figures that are shown. */
const reaches = (aim: number, leads: Spread[]) =>
  leads.every(({ median }) => Number(showRatio(median)) >= aim);

export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spreadOf(values: number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const [min = Number.NaN] = sorted;
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
  return { median, min, max: sorted.at(-1) ?? Number.NaN };
}

/** How many times better the first is than the second: above 1 it needs less CPU, or answers more calls. */
export function lead(ours: Sample[], theirs: Sample[]) {
  const pairs = ours.flatMap((our, round) => {
    const their = theirs[round];
    return their ? [{ our, their }] : [];
  });
  return {
    byCpu: spreadOf(pairs.map(({ our, their }) => their.cpuMicroseconds / our.cpuMicroseconds)),
    byRate: spreadOf(pairs.map(({ our, their }) => our.perSecond / their.perSecond)),
  };
}

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

const showRatio = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
export const showWhole = (value: number): string => String(Math.round(value));

const aimMegabytes = 300;

/** @param servers by the names to be shown; the aim is for those of ours */
export function memoryTable(servers: { name: string; pid: number }[]): string {
  const rows = servers.map(({ name, pid }) => {
    const { now, highest } = memoryMegabytes(pid);
    const aim = `${aimMegabytes} ${highest < aimMegabytes ? 'reached' : 'MISSED'}`;
    return [name, showWhole(now), showWhole(highest), name.startsWith('ours') ? aim : ''];
  });
  return markdownTable(['server', 'MB after load', 'at its highest', 'aim'], rows);
}
