/** The rows of the tables: one for each comparison, with the lead and whether the aim is reached. */
import { aimOf, type Comparison } from './comparisons.ts';
import type { Sample, Samples } from './measure.ts';
import { lead, type Spread, spreadOf } from './statistics.ts';
import { markdownTable, showRatio, showSpread, showWhole } from './table.ts';

export interface Measured {
  work: { name: string; title: string };
  samples: Samples;
}

const header = [
  'work',
  'ours',
  'against',
  'CPU us: ours',
  'theirs',
  'requests/s: ours',
  'theirs',
  'load busy: ours',
  'theirs',
  'lead by CPU (min to max)',
  'lead by requests/s',
  'aim',
];

/** @param titles of contenders by their names */
export function comparisonTable(
  measured: Measured[],
  comparisons: Comparison[],
  titles: ReadonlyMap<string, string>,
): string {
  const rows = measured.flatMap(({ work, samples }) =>
    comparisons.flatMap((comparison) => {
      const ours = samples.get(comparison.subject);
      const theirs = samples.get(comparison.against);
      if (!ours || !theirs) return [];
      const { byCpu, byRate } = lead(ours, theirs);
      const aim = aimOf(comparison, work.name);
      return [
        [
          work.title,
          titles.get(comparison.subject) ?? comparison.subject,
          titles.get(comparison.against) ?? comparison.against,
          ...[ours, theirs].map((of) => showWhole(medianOf(of, (sample) => sample.cpuMicroseconds))),
          ...[ours, theirs].map((of) => showWhole(medianOf(of, (sample) => sample.perSecond))),
          ...[ours, theirs].map((of) => `${showWhole(medianOf(of, (sample) => 100 * sample.loadBusy))} %`),
          showSpread(byCpu, showRatio),
          showSpread(byRate, showRatio),
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
