/** Charts of a server's figures and state in the last hour, from the samples of the service and of this page. */
import { useEffect, useState } from 'preact/hooks';
import { hourMs, minuteMs } from '../../../../models/support/durations.ts';
import { samplePaceMs, withSample } from '../../../../models/support/samples.ts';
import type { Api, Resources } from '../api.ts';
import { useQuery } from '../use-query.ts';
import type { PlayerCounts } from './players.tsx';

type FigureName = 'cpu_percent' | 'memory_bytes' | 'players_online';

export type Sample = Pick<Resources, 'state'> &
  Record<FigureName, number | null> & {
    /** In milliseconds since 1970, by this browser's clock. */
    at: number;
  };

/**
 * Begins with the samples that the service had when the page opened, and adds those that this page reads.
 * @param now `resources` and `players`: each new object counts as a new measurement
 */
export function useSamples(
  server_identifier: string,
  now: { resources: Resources | null; players: PlayerCounts | null },
): readonly Sample[] {
  const { resources, players } = now;
  const { content: earlier } = useQuery((api) => readSamples(api, server_identifier));
  const [live, setLive] = useState<readonly Sample[]>([]);
  useEffect(() => {
    if (resources)
      setLive((known) => withSample(known, { ...resources, players_online: null, at: Date.now() }));
  }, [resources]);
  useEffect(() => {
    if (players) setLive((known) => withPlayers(known, players));
  }, [players]);
  const liveSince = (live[0]?.at ?? Date.now()) - samplePaceMs;
  const hourAgo = Date.now() - hourMs;
  return [...(earlier ?? []).filter(({ at }) => at > hourAgo && at < liveSince), ...live];
}

async function readSamples(api: Api, server_identifier: string): Promise<Sample[]> {
  const { samples } = await api.servers.samples.query({ server_identifier });
  return samples.map(({ age_ms, ...sample }) => ({ ...sample, at: Date.now() - age_ms }));
}

/** The page queries a game after it has read the server, so the players belong to the last sample. */
const withPlayers = (samples: readonly Sample[], { online }: PlayerCounts): readonly Sample[] =>
  samples.map((sample, index) =>
    index === samples.length - 1 ? { ...sample, players_online: online } : sample,
  );

const width = 240;
const height = 72;

/** A longer time without a sample becomes a gap. A hidden page still reads every five minutes. */
const gapMs = 6 * minuteMs;

export interface Figure {
  label: string;
  now: number | null;
  /** Null or 0: unlimited. */
  limit: number | null;
  format(amount: number): string;
}

type Props = { samples: readonly Sample[] };

type ChartProps = Props & { of: Figure; field: FigureName };

export function HourChart({ of: { label, now, limit, format }, field, samples }: ChartProps) {
  const lines = linesOf(samples, field);
  const amounts = lines.flat().map(({ amount }) => amount);
  const [least, most] = [Math.min(...amounts), Math.max(...amounts)];
  const range = amounts.length > 0 ? `${format(least)} to ${format(most)}` : 'not measured';
  const top = 1.15 * Math.max(limit ?? 0, ...amounts, 1);
  const yOf = (amount: number) => Math.round(10 * height * (1 - amount / top)) / 10;
  return (
    <figure class="hour-chart">
      <figcaption>
        <span class="chart-ends">
          <span>{label}</span>
          {amounts.length > 0 && format(least) !== format(most) && <span>{range}</span>}
        </span>
        <strong>{now === null ? '–' : format(now)}</strong>
        {limit ? ` of ${format(limit)}` : ''}
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        {...stroke}
        role="img"
        aria-label={`${label} in the last hour: ${range}`}
      >
        {limit ? <path d={`M0 ${yOf(limit)}H${width}`} {...thin} /> : null}
        {lines.map((line) => (
          <Line
            key={line[0]?.at}
            points={line.map(({ at, amount }) => [xOf(at), yOf(amount)])}
            hasDot={line === lines.at(-1) || line.length === 1}
          />
        ))}
      </svg>
      <p class="chart-ends">
        <span>1 h ago</span>
        <span>now</span>
      </p>
    </figure>
  );
}

const stroke = {
  fill: 'none',
  stroke: 'currentcolor',
  'stroke-width': 2,
  'stroke-linecap': 'round',
  'stroke-linejoin': 'round',
} as const;

/** The drawing is stretched to the width of the page, its strokes are not. */
const unscaled = { 'vector-effect': 'non-scaling-stroke' } as const;

const thin = { ...unscaled, 'stroke-width': 1, 'stroke-opacity': 0.6, 'stroke-dasharray': '3 5' } as const;

type Point = [x: number, y: number];

/** A stroke without length draws a dot by its round ends, so that a single sample is visible too. */
function Line({ points, hasDot }: { points: Point[]; hasDot: boolean }) {
  const [firstX] = points[0] ?? [0];
  const last = points.at(-1) ?? [0, 0];
  const path = points.join('L');
  return (
    <>
      <path
        d={`M${firstX},${height}L${path}V${height}Z`}
        fill="currentcolor"
        fill-opacity="0.14"
        stroke="none"
      />
      <path d={`M${path}`} {...unscaled} />
      {hasDot && <path d={`M${last}h0`} {...unscaled} stroke-width="7" />}
    </>
  );
}

function linesOf(samples: readonly Sample[], field: FigureName) {
  const lines: { at: number; amount: number }[][] = [];
  let previous = 0;
  for (const { at, state, [field]: amount } of samples) {
    if (amount === null) {
      // The players of a running server are read after its state.
      if (state !== 'running') previous = 0;
      continue;
    }
    if (at - previous > gapMs) lines.push([]);
    lines.at(-1)?.push({ at, amount });
    previous = at;
  }
  return lines;
}

const xOf = (at: number) => Math.round(10 * Math.max(0, width * (1 - (Date.now() - at) / hourMs))) / 10;

const stateClasses: Record<string, string> = { running: 'is-running', offline: 'is-offline' };

export function StateChart({ samples }: Props) {
  const spans = spansOf(samples);
  const minutes = new Map<string, number>();
  for (const { state, from, to } of spans) minutes.set(state, (minutes.get(state) ?? 0) + to - from);
  const words = [...minutes].map(([state, ms]) => `${state} ${Math.max(1, Math.round(ms / minuteMs))} min`);
  return (
    <figure class="state-chart">
      <svg
        viewBox={`0 0 ${width} 8`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`State in the last hour: ${words.join(', ') || 'not known yet'}`}
      >
        {spans.map(({ state, from, to }) => {
          const length = Math.max(1.5, xOf(to) - xOf(from));
          const x = Math.min(xOf(from), width - length);
          return <rect key={from} class={stateClasses[state]} x={x} width={length} height={8} />;
        })}
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
