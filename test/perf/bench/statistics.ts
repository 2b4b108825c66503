/** Medians with their least and greatest, and ratios taken round by round. */
import type { Sample } from './measure.ts';

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
