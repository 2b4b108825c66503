/** The icon, state and address of a server, for the list of servers and its own page. */
import { useRef, useState } from 'preact/hooks';
import type { Server } from '../api.ts';
import { copyText } from '../code.tsx';
import { Icon } from '../icon.tsx';
import { useShell } from '../shell.ts';
import { conditionOf } from './conditions.ts';

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
  const sum = [...name].reduce((sum, letter) => (sum * 131 + (letter.codePointAt(0) ?? 0)) % 9973, 0);
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
