/** The icon, state, address and usage of a server, for the list of servers and its own page. */
import { useRef, useState } from 'preact/hooks';
import type { Resources, Server, ServerState } from '../api.ts';
import { copyText } from '../code.tsx';
import { Icon } from '../icon.tsx';
import { useShell } from '../shell.ts';
import { conditionOf } from './conditions.ts';
import { sizeOf } from './figures.tsx';

/** White letters have a contrast of 5 or more on each. */
const tones = ['#4f46e5', '#0b7285', '#a8430f', '#7c3aed', '#147a41', '#b8185d'];

/** The icon of the server's game. Without one, the first letter of its name in a color that the name decides. */
export function GameIcon({ server: { name, game } }: { server: Server }) {
  const [isBroken, setBroken] = useState(false);
  if (game?.icon && !isBroken)
    return (
      <img
        class="app-mark"
        src={game.icon}
        alt=""
        title={game.title}
        referrerpolicy="no-referrer"
        onError={() => setBroken(true)}
      />
    );
  const sum = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 0);
  return (
    <svg class="app-mark" aria-hidden="true" viewBox="0 0 40 40">
      <rect width="40" height="40" fill={tones[sum % tones.length]} />
      <text x="20" y="26.5" text-anchor="middle" font-size="18" font-weight="700" fill="#ffffff">
        {/[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? '#'}
      </text>
    </svg>
  );
}

interface BadgeProps {
  server: Parameters<typeof conditionOf>[0];
  state: string | null;
  /** Why the state is unknown. */
  reason?: string | null | undefined;
}

export function StateBadge({ server, state, reason }: BadgeProps) {
  const condition = conditionOf(server, reason);
  if (condition) return <span class="badge is-warning">{condition.word}</span>;
  if (state === null) return <span class="badge">…</span>;
  return (
    <span class={state === 'running' ? 'badge is-success' : 'badge'} role="status">
      {state}
    </span>
  );
}

/** The address where players join; null if the panel gives none. */
export function addressOf({ allocations }: Server): string | null {
  const main = allocations.find(({ is_default }) => is_default) ?? allocations[0];
  if (!main) return null;
  const host = main.alias ?? (main.ip.includes(':') ? `[${main.ip}]` : main.ip);
  return `${host}:${main.port}`;
}

export function Address({ server }: { server: Server }) {
  const { notify } = useShell();
  const text = useRef<HTMLElement>(null);
  const address = addressOf(server);
  if (address === null) return null;
  const copy = async () => {
    const isCopied = await copyText(address, text.current);
    notify(isCopied ? 'Address copied' : 'Press Ctrl+C to copy the address');
  };
  return (
    <p class="item-head join-address">
      <span class="visually-hidden">Join at</span>{' '}
      <code ref={text} translate={false}>
        {address}
      </code>
      <button
        type="button"
        class="icon-button"
        aria-label={`Copy the address of ${server.name}`}
        onClick={copy}
      >
        <Icon name="copy" />
      </button>
    </p>
  );
}

const MiB = 1024 * 1024;

const percentOf = (percent: number) => `${Math.round(percent)} %`;

type Used = Partial<Pick<Resources & ServerState, 'cpu_percent' | 'memory_bytes' | 'disk_bytes'>>;

/** Three thin bars. A screen reader also hears the limits. */
export const Meters = ({ server: { limits }, used }: { server: Server; used: Used }) => (
  <div class="meters">
    <Meter label="CPU" used={used.cpu_percent} limit={limits.cpu} format={percentOf} />
    <Meter label="Memory" used={used.memory_bytes} limit={(limits.memory ?? 0) * MiB} format={sizeOf} />
    <Meter label="Disk" used={used.disk_bytes} limit={(limits.disk ?? 0) * MiB} format={sizeOf} />
  </div>
);

interface MeterProps {
  label: string;
  used: number | null | undefined;
  /** Null or 0: unlimited. */
  limit: number | null;
  format(amount: number): string;
}

function Meter({ label, used = null, limit, format }: MeterProps) {
  const share = used !== null && limit ? Math.min(1, used / limit) : 0;
  const ofLimit = limit ? ` of ${format(limit)}` : '';
  return (
    <p title={`${label}${ofLimit}`}>
      {label} <strong>{used === null ? '–' : format(used)}</strong>
      <span class="visually-hidden">{ofLimit}</span>
      <span class="meter" aria-hidden="true">
        <span style={{ width: `${100 * share}%` }} class={share > 0.9 ? 'is-high' : undefined} />
      </span>
    </p>
  );
}
