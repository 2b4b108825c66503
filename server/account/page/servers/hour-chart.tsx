/** Small charts of a server's figures and state in the last hour. They cover only the time that the server's page was open. */
import { useEffect, useState } from 'preact/hooks';
import { hourMs } from '../../../../models/support/durations.ts';
import type { Resources } from '../api.ts';

export type Sample = Pick<Resources, 'state' | 'cpu_percent' | 'memory_bytes' | 'disk_bytes'> & {
  /** When the page received the sample, in milliseconds since 1970. */
  at: number;
};

/** The minimum time between samples with the same state: the page reads a starting server every two seconds. */
const paceMs = 10_000;

/** @param resources null until they are known; each new object counts as a new measurement */
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

const width = 240;
const height = 48;

/** A longer time without a sample becomes a gap: the page was not open. */
const gapMs = 90_000;

export interface Figure {
  label: string;
  field: 'cpu_percent' | 'memory_bytes' | 'disk_bytes';
  /** Null or 0: unlimited. */
  limit: number | null;
  format(amount: number): string;
}

type Props = { samples: readonly Sample[] };

export function HourChart({ label, field, limit, format, samples }: Figure & Props) {
  const lines = linesOf(samples.map((sample) => ({ at: sample.at, amount: sample[field] })));
  const amounts = lines.flat().map(({ amount }) => amount);
  const most = Math.max(limit ?? 0, ...amounts, 1);
  const range = amounts.length
    ? `${format(Math.min(...amounts))} to ${format(Math.max(...amounts))}`
    : 'not measured';
  const pointOf = ({ at, amount }: Point) => `${xOf(at)},${height - 1 - (amount / most) * (height - 2)}`;
  return (
    <svg
      class="hour-chart"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label} in the last hour: ${range}`}
    >
      {lines.map((line) => (
        <polyline key={line[0]?.at} points={[...line, lastOf(line)].map(pointOf).join(' ')} />
      ))}
    </svg>
  );
}

type Point = { at: number; amount: number };

function linesOf(points: readonly { at: number; amount: number | null }[]): Point[][] {
  const lines: Point[][] = [];
  let previous: number | null = null;
  for (const { at, amount } of points) {
    if (amount === null) {
      previous = null;
      continue;
    }
    if (previous === null || at - previous > gapMs) lines.push([]);
    lines.at(-1)?.push({ at, amount });
    previous = at;
  }
  return lines;
}

const xOf = (at: number) => Math.max(0, width * (1 - (Date.now() - at) / hourMs));

/** Extends the line a little, so that a single sample is visible too. */
const lastOf = (line: readonly Point[]): Point => {
  const { at = 0, amount = 0 } = line.at(-1) ?? {};
  return { at: at + hourMs / width, amount };
};

const stateClasses: Record<string, string> = { running: 'is-running', offline: 'is-offline' };

export function StateChart({ samples }: Props) {
  const spans = spansOf(samples);
  const minutes = new Map<string, number>();
  for (const { state, from, to } of spans) minutes.set(state, (minutes.get(state) ?? 0) + to - from);
  const words = [...minutes].map(([state, ms]) => `${state} ${Math.max(1, Math.round(ms / 60_000))} min`);
  return (
    <figure class="state-chart">
      <svg
        viewBox={`0 0 ${width} 8`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`State in the last hour: ${words.join(', ') || 'not known yet'}`}
      >
        {spans.map(({ state, from, to }) => (
          <rect
            key={from}
            class={stateClasses[state]}
            x={xOf(from)}
            width={Math.max(1, xOf(to) - xOf(from))}
            height={8}
          />
        ))}
      </svg>
      <figcaption>{words.join(', ')}</figcaption>
    </figure>
  );
}

/** The periods in which the state stayed the same. A state lasts until the next sample, unless there is a gap. */
function spansOf(samples: readonly Sample[]) {
  const spans: { state: string; from: number; to: number }[] = [];
  for (const [index, { at, state }] of samples.entries()) {
    const next = samples[index + 1]?.at ?? at;
    const to = next - at > gapMs ? at : next;
    const last = spans.at(-1);
    if (last?.state === state && last.to === at) last.to = to;
    else spans.push({ state, from: at, to });
  }
  return spans;
}
