/** A server: what it does now, where players join, what it uses, and what its owner can do with it. */
import { useRef, useState } from 'preact/hooks';
import type { PowerSignal, Resources, Server } from '../api.ts';
import { copyText } from '../code.tsx';
import { useFocusInside } from '../focus.ts';
import { Icon } from '../icon.tsx';
import { useShell } from '../shell.ts';
import { Backups } from './backups.tsx';
import { Figures } from './figures.tsx';
import { PowerDialog, powerTexts } from './power-dialog.tsx';
import { useResources } from './use-resources.ts';

interface Props {
  server: Server;
  /** Opens a ticket about the server. */
  onAsk(): void;
}

export function ServerItem({ server, onAsk }: Props) {
  const { element, resources, follow } = useResources(server.identifier);
  const [signal, setSignal] = useState<PowerSignal | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusInside(element, () => heading.current);
  const condition = conditionOf(server);
  return (
    <li ref={element} class="panel server">
      <div class="server-head">
        <h2 ref={heading} tabIndex={-1}>
          {server.name}
        </h2>
        <StateBadge server={server} resources={resources} />
      </div>
      <Address server={server} />
      {condition !== null ? (
        <p class="note">{adviceOn(condition)}</p>
      ) : (
        <>
          {resources?.reason && <p class="note">{resources.reason}</p>}
          <Figures server={server} resources={resources} />
        </>
      )}
      <div class="server-actions">
        <PowerButtons server={server} resources={resources} onChoose={setSignal} />
        <OtherActions server={server} onAsk={onAsk} />
      </div>
      <Backups server={server} />
      {signal && (
        <PowerDialog server={server} signal={signal} onClose={() => setSignal(null)} onSent={follow} />
      )}
    </li>
  );
}

const OtherActions = ({ server: { name, panel_url }, onAsk }: Props) => (
  <>
    <button type="button" class="button is-small" aria-label={`Open a ticket about ${name}`} onClick={onAsk}>
      Open a ticket
    </button>
    {panel_url && (
      <a class="button is-small" href={panel_url} target="_blank" rel="noreferrer">
        Open the panel<span class="visually-hidden"> of {name}, in a new tab</span>
      </a>
    )}
  </>
);

/** What is unusual with a server, in the panel's own word, made readable; null: nothing. */
export const conditionOf = ({ is_suspended, status }: Server) =>
  is_suspended ? 'suspended' : (status?.replaceAll('_', ' ') ?? null);

function adviceOn(condition: string): string {
  if (condition === 'suspended') return 'It cannot run until your host ends that. Ask why in a ticket.';
  return condition.includes('failed') ? 'Ask for help in a ticket.' : 'It can be started when that is done.';
}

interface StateProps {
  server: Server;
  /** Null until they are known. */
  resources: Resources | null;
}

function StateBadge({ server, resources }: StateProps) {
  const condition = conditionOf(server);
  if (condition) return <span class="badge is-warning">{condition}</span>;
  if (!resources) return <span class="badge">…</span>;
  const { state } = resources;
  return (
    <span class={state === 'running' ? 'badge is-success' : 'badge'} role="status">
      {state}
    </span>
  );
}

function Address({ server: { name, allocations } }: { server: Server }) {
  const { notify } = useShell();
  const text = useRef<HTMLElement>(null);
  const main = allocations.find(({ is_default }) => is_default) ?? allocations[0];
  if (!main) return null;
  const host = main.alias ?? (main.ip.includes(':') ? `[${main.ip}]` : main.ip);
  const address = `${host}:${main.port}`;
  const copy = async () => {
    const isCopied = await copyText(address, text.current);
    notify(isCopied ? 'Address copied' : 'Press Ctrl+C to copy the address');
  };
  return (
    <p class="server-address">
      <span class="note">Join at</span> <code ref={text}>{address}</code>
      <button type="button" class="icon-button" aria-label={`Copy the address of ${name}`} onClick={copy}>
        <Icon name="copy" />
      </button>
    </p>
  );
}

/** The signals that change something; all of them while the state is not known. */
const signalsFor: Record<string, PowerSignal[]> = {
  running: ['restart', 'stop'],
  starting: ['stop'],
  stopping: [],
  offline: ['start'],
};

interface PowerProps extends StateProps {
  onChoose(signal: PowerSignal): void;
}

function PowerButtons({ server, resources, onChoose }: PowerProps) {
  if (conditionOf(server) || !resources) return null;
  const signals = signalsFor[resources.state] ?? ['start', 'restart', 'stop'];
  return (
    <>
      {signals.map((signal) => (
        <button
          key={signal}
          type="button"
          class="button is-small"
          aria-label={`${powerTexts[signal].verb} ${server.name}`}
          onClick={() => onChoose(signal)}
        >
          <Icon name={powerTexts[signal].icon} />
          {powerTexts[signal].verb}
        </button>
      ))}
    </>
  );
}
