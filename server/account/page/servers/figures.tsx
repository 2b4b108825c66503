/** Bars that show how much of its limits a server uses, and the same figures as charts of the last hour. */
import type { Resources, Server } from '../api.ts';
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

interface Props {
  server: Pick<Server, 'limits'>;
  resources: Resources | null;
  players?: PlayerCounts | null;
}

function figuresOf({ server: { limits }, resources, players }: Props): Figure[] {
  const bytesOf = (mebibytes: number | null) => mebibytes && mebibytes * MiB;
  const figures = [
    { label: 'CPU', field: 'cpu_percent', limit: limits.cpu, format: percentOf },
    { label: 'Memory', field: 'memory_bytes', limit: bytesOf(limits.memory), format: sizeOf },
    { label: 'Disk', field: 'disk_bytes', limit: bytesOf(limits.disk), format: sizeOf },
  ] as const;
  return [
    ...figures.map((figure) => ({ ...figure, now: resources?.[figure.field] ?? null })),
    ...(players && players.online !== null
      ? [
          {
            label: 'Players',
            field: 'players_online' as const,
            now: players.online,
            limit: players.max,
            format: String,
          },
        ]
      : []),
  ];
}

export const Figures = (props: Props) => (
  <dl class="facts">
    {figuresOf(props).map((figure) => (
      <Bar key={figure.field} {...figure} />
    ))}
  </dl>
);

export const Charts = ({ samples, ...props }: Props & { samples: readonly Sample[] }) => (
  <div class="hour-charts">
    {figuresOf(props).map((figure) => (
      <HourChart key={figure.field} {...figure} samples={samples} />
    ))}
  </div>
);

function Bar({ label, now, limit, format }: Figure) {
  const share = now !== null && limit ? Math.min(1, now / limit) : 0;
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {now === null ? '–' : format(now)}
        {limit ? ` of ${format(limit)}` : ''}
        <span class="meter" aria-hidden="true">
          <span style={{ width: `${100 * share}%` }} class={share > 0.9 ? 'is-high' : undefined} />
        </span>
      </dd>
    </div>
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

const startOf = (measuredAt: string, uptimeMs: number) =>
  new Date(Date.parse(measuredAt) - uptimeMs).toISOString();
