/** What a server uses of what it may, as bars. */
import type { Resources, Server } from '../api.ts';

const MiB = 1024 * 1024;

const units = ['MiB', 'GiB', 'TiB'];

/** "512 MiB", "1.5 GiB" */
export function sizeOf(bytes: number): string {
  if (bytes > 0 && bytes < MiB) return `${Math.ceil(bytes / 1024)} KiB`;
  let amount = bytes / MiB;
  let unit = 0;
  for (; amount >= 1024 && unit < units.length - 1; unit += 1) amount /= 1024;
  return `${amount < 10 && unit > 0 ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`;
}

const percentOf = (percent: number) => `${Math.round(percent)} %`;

interface Figure {
  label: string;
  used: number | null;
  /** Null or 0: unlimited. */
  limit: number | null;
  format(amount: number): string;
}

interface Props {
  server: Pick<Server, 'limits'>;
  resources: Resources | null;
}

export function Figures({ server: { limits }, resources }: Props) {
  const bytesOf = (mebibytes: number | null) => mebibytes && mebibytes * MiB;
  const { cpu_percent = null, memory_bytes = null, disk_bytes = null } = resources ?? {};
  return (
    <dl class="figures">
      <Bar label="CPU" used={cpu_percent} limit={limits.cpu} format={percentOf} />
      <Bar label="Memory" used={memory_bytes} limit={bytesOf(limits.memory)} format={sizeOf} />
      <Bar label="Disk" used={disk_bytes} limit={bytesOf(limits.disk)} format={sizeOf} />
    </dl>
  );
}

function Bar({ label, used, limit, format }: Figure) {
  const share = used !== null && limit ? Math.min(1, used / limit) : 0;
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {used === null ? '–' : format(used)}
        {limit ? ` of ${format(limit)}` : ''}
        <span class="meter" aria-hidden="true">
          <span style={{ width: `${100 * share}%` }} class={share > 0.9 ? 'is-high' : undefined} />
        </span>
      </dd>
    </div>
  );
}
