/** What a server did and used in the last hour, as far as its page was open. */
import { useEffect, useState } from 'preact/hooks';
import type { Resources } from '../api.ts';

export type Sample = Pick<Resources, 'state' | 'cpu_percent' | 'memory_bytes' | 'disk_bytes'> & {
  /** When the page saw it. */
  at: number;
};

export const hourMs = 60 * 60_000;

/** More often a sample is kept only when the state changed: while a server starts, the page asks every two seconds. */
const paceMs = 10_000;

/** @param resources null until they are known, and another object after each measurement */
export function useSamples(resources: Resources | null): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    if (resources) setSamples((known) => withSample(known, { ...resources, at: Date.now() }));
  }, [resources]);
  return samples;
}

function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  const isTooSoon = last?.state === sample.state && sample.at - last.at < paceMs;
  return isTooSoon ? samples : [...samples, sample].filter(({ at }) => at > sample.at - hourMs);
}
