/** Where players join a server. */
import { useRef } from 'preact/hooks';
import type { Server } from '../api.ts';
import { copyText } from '../code.tsx';
import { Icon } from '../icon.tsx';
import { useShell } from '../shell.ts';

/** Null where the panel tells none. */
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
    <p class="item-head">
      <span class="note">Join at</span>{' '}
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
