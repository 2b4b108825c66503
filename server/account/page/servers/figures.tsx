/** Bars that show how much of its limits a server uses, and the same figures as charts of the last hour. */
import type { Resources, Server, ServerState } from '../api.ts';
import { formatDateTime, Time } from '../time.tsx';
import { type Figure, HourChart, type Sample } from './hour-chart.tsx';
import type { PlayerCounts } from './players.tsx';

const MiB = 1024 * 1024;

const units = ['MiB', 'GiB', 'TiB'];

/** "104 B", "512 MiB", "1.5 GiB" */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < MiB) return `${Math.ceil(bytes / 1024)} KiB`;
  let amount = bytes / MiB;
  let unit = 0;
  for (; amount >= 1024 && unit < units.length - 1; unit += 1) amount /= 1024;
  return `${amount < 10 && unit > 0 ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`;
}

const percentOf = (percent: number) => `${Math.round(percent)} %`;

type Used = Partial<Pick<Resources & ServerState, 'cpu_percent' | 'memory_bytes' | 'disk_bytes'>>;

interface Props {
  server: Pick<Server, 'limits'>;
  resources: Used | null;
  players?: PlayerCounts | null;
}

const bytesOf = (mebibytes: number | null) => mebibytes && mebibytes * MiB;

const figuresOf = ({ server: { limits }, resources, players }: Props) => {
  const { cpu_percent = null, memory_bytes = null, disk_bytes = null } = resources ?? {};
  const { online = null, max = null } = players ?? {};
  return {
    cpu: { label: 'CPU', now: cpu_percent, limit: limits.cpu, format: percentOf },
    memory: { label: 'Memory', now: memory_bytes, limit: bytesOf(limits.memory), format: sizeOf },
    disk: { label: 'Disk', now: disk_bytes, limit: bytesOf(limits.disk), format: sizeOf },
    players: { label: 'Players', now: online, limit: max, format: String },
  } satisfies Record<string, Figure>;
};

function usageOf(props: Props): Figure[] {
  const { cpu, memory, disk } = figuresOf(props);
  return [cpu, memory, disk];
}

export const Figures = (props: Props) => (
  <dl class="facts">
    {usageOf(props).map((figure) => (
      <Bar key={figure.label} {...figure} />
    ))}
  </dl>
);

export function Charts({ samples, ...props }: Props & { samples: readonly Sample[] }) {
  const { cpu, memory, players } = figuresOf(props);
  return (
    <div class="tiles">
      <HourChart of={cpu} field="cpu_percent" samples={samples} />
      <HourChart of={memory} field="memory_bytes" samples={samples} />
      {(players.now !== null || samples.some(({ players_online }) => players_online !== null)) && (
        <HourChart of={players} field="players_online" samples={samples} />
      )}
    </div>
  );
}

export const DiskBar = (props: Props) => <Bar {...figuresOf(props).disk} />;

const limitIn = ({ limit, format }: Figure) => (limit ? ` of ${format(limit)}` : '');

const Bar = (figure: Figure) => (
  <div>
    <dt>{figure.label}</dt>
    <dd>
      {figure.now === null ? '–' : figure.format(figure.now)}
      {limitIn(figure)}
      <Meter {...figure} />
    </dd>
  </div>
);

/** Three thin bars. A screen reader also hears the limits. */
export const Meters = (props: Props) => (
  <div class="meters">
    {usageOf(props).map((figure) => (
      <p key={figure.label} title={`${figure.label}${limitIn(figure)}`}>
        {figure.label} <strong>{figure.now === null ? '–' : figure.format(figure.now)}</strong>
        <span class="visually-hidden">{limitIn(figure)}</span>
        <Meter {...figure} />
      </p>
    ))}
  </div>
);

function Meter({ now, limit }: Pick<Figure, 'now' | 'limit'>) {
  const share = now !== null && limit ? Math.min(1, now / limit) : 0;
  return (
    <span class="meter" aria-hidden="true">
      <span style={{ width: `${100 * share}%` }} class={share > 0.9 ? 'is-high' : undefined} />
    </span>
  );
}

export const Measured = ({ of: { measured_at, uptime_ms } }: { of: Resources }) => (
  <>
    {uptime_ms ? (
      <>
        Started <Time iso={startOf(measured_at, uptime_ms)} isRelative />, measured
      </>
    ) : (
      'Measured'
    )}{' '}
    {formatDateTime(measured_at)}
  </>
);

export const startOf = (measuredAt: string, uptimeMs: number) =>
  new Date(Date.parse(measuredAt) - uptimeMs).toISOString();
