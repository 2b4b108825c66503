/** What a server did and used in the last hour, as its page saw it: kept in the browser's tab, and nowhere else. */
import { useEffect, useState } from 'preact/hooks';
import type { Resources } from '../api.ts';
import { useShell } from '../shell.ts';
import { ownPrefix, tryStorage } from '../storage.ts';

export type Sample = Pick<Resources, 'state' | 'cpu_percent' | 'memory_bytes' | 'disk_bytes'> & {
  /** When the page saw it. */
  at: number;
};

/** By the servers' identifiers, the one looked at last at the end. */
type Kept = Record<string, Sample[]>;

export const hourMs = 60 * 60_000;

/** More often a sample is kept only when the state changed: while a server starts, the page asks every two seconds. */
const paceMs = 10_000;

/** Of which samples are kept. */
const serversMax = 8;

/** Changes with the shape of what is kept. */
const version = 1;

/** @param resources null until they are known, and another object after each measurement */
export function useSamples(identifier: string, resources: Resources | null): readonly Sample[] {
  const key = `${ownPrefix}samples-${version}:${useShell().userId}`;
  const [samples, setSamples] = useState<readonly Sample[]>(() => recent(recall(key)[identifier] ?? []));
  useEffect(() => {
    if (resources === null) return;
    const { state, cpu_percent, memory_bytes, disk_bytes } = resources;
    const sample = { at: Date.now(), state, cpu_percent, memory_bytes, disk_bytes };
    const known = addTo(samples, sample);
    setSamples(known);
    keep(key, identifier, known);
  }, [resources]);
  return samples;
}

const recent = (samples: readonly Sample[]) => samples.filter(({ at }) => at > Date.now() - hourMs);

function addTo(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  const isTooSoon = last?.state === sample.state && sample.at - last.at < paceMs;
  return isTooSoon ? samples : recent([...samples, sample]);
}

const recall = (key: string): Kept =>
  tryStorage('sessionStorage', (storage) => JSON.parse(storage.getItem(key) ?? '{}')) ?? {};

function keep(key: string, identifier: string, samples: readonly Sample[]): void {
  const { [identifier]: _, ...others } = recall(key);
  const kept = Object.entries(others).slice(1 - serversMax);
  const text = JSON.stringify({ ...Object.fromEntries(kept), [identifier]: samples });
  tryStorage('sessionStorage', (storage) => storage.setItem(key, text));
}
