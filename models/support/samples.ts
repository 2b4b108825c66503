/** Measurements of one server in the last hour. The service and the page thin them in the same way. */
import { samplesMax } from '../bounds.ts';
import { hourMs } from './durations.ts';

interface Measured {
  /** In milliseconds since 1970. */
  at: number;
  state: string;
}

/** The minimum time between two samples with the same state: a server that starts is read every two seconds. */
export const samplePaceMs = 10_000;

/** @returns `samples` itself if the new one is too soon or no newer */
export function withSample<Sample extends Measured>(
  samples: readonly Sample[],
  sample: Sample,
): readonly Sample[] {
  const last = samples.at(-1);
  const paceMs = last?.state === sample.state ? samplePaceMs : 1;
  if (last && sample.at - last.at < paceMs) return samples;
  return [...samples, sample].filter(({ at }) => at > sample.at - hourMs).slice(-samplesMax.ofServer);
}
