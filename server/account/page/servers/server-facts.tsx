/** The facts and actions that the list of servers and the page of a server share. */
import { useRef } from 'preact/hooks';
import type { PowerSignal, Resources, Server } from '../api.ts';
import { copyText } from '../code.tsx';
import { ActionButton } from '../controls.tsx';
import { useDialog } from '../dialog.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { useShell } from '../shell.ts';
import { withNames } from '../text.tsx';

type Condition = Pick<Server, 'is_suspended'> & Partial<Pick<Server, 'status'>>;

/** The panel's word for a server's unusual condition, such as "restoring backup"; null if nothing is unusual. */
export const conditionOf = ({ is_suspended, status }: Condition) =>
  is_suspended ? 'suspended' : (status?.replaceAll('_', ' ') ?? null);

export function StateBadge({ server, state }: { server: Condition; state: string | null }) {
  const condition = conditionOf(server);
  if (condition) return <span class="badge is-warning">{condition}</span>;
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

function Address({ server }: { server: Server }) {
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

interface Props {
  server: Server;
  resources: Resources | null;
}

export function ServerNotes({ server, resources }: Props) {
  const condition = conditionOf(server);
  const note = condition === null ? resources?.reason : adviceOn(condition);
  return (
    <>
      <Address server={server} />
      {note && (
        <p class="note" dir="auto">
          {note}
        </p>
      )}
    </>
  );
}

function adviceOn(condition: string): string {
  if (condition === 'suspended')
    return 'It cannot run until your host ends the suspension. Open a ticket to ask why.';
  return condition.includes('failed') ? 'Open a ticket to get help.' : 'You can start it when that is done.';
}

interface ActionsProps extends Props {
  onSent(): void;
  onAsk(): void;
}

export const ServerActions = ({ onAsk, ...props }: ActionsProps) => (
  <div class="actions">
    <PowerButtons {...props} />
    <ActionButton label="Open a ticket" about={`about ${props.server.name}`} onAct={onAsk} />
    {props.server.panel_url && (
      <a class="button is-small" href={props.server.panel_url} target="_blank" rel="noreferrer">
        Open the panel<span class="visually-hidden"> of {props.server.name}, in a new tab</span>
      </a>
    )}
  </div>
);

const signalTexts: Record<PowerSignal, { verb: string; icon: IconName; text: string; sent: string }> = {
  start: { verb: 'Start', icon: 'play', text: 'Players can join as soon as it runs.', sent: 'is starting' },
  stop: {
    verb: 'Stop',
    icon: 'stop',
    text: 'All players are disconnected, and no one can join until you start it again.',
    sent: 'is stopping',
  },
  restart: {
    verb: 'Restart',
    icon: 'refresh',
    text: 'All players are disconnected, and can join again when it has started.',
    sent: 'is restarting',
  },
};

/** The signals that change something in each state. A state that is not listed offers all of them. */
const signalsFor: Record<string, PowerSignal[]> = {
  running: ['restart', 'stop'],
  starting: ['stop'],
  stopping: [],
  offline: ['start'],
};

function PowerButtons({ server, resources, onSent }: Omit<ActionsProps, 'onAsk'>) {
  const { dialog, confirm } = useDialog();
  const { name, identifier } = server;
  const isOffered = resources && !conditionOf(server);
  const signals = isOffered ? (signalsFor[resources.state] ?? ['start', 'restart', 'stop']) : [];
  const ask = (signal: PowerSignal) => {
    const { verb, text, sent } = signalTexts[signal];
    confirm({
      title: [`${verb} `, ...withNames`${name}?`],
      text,
      verb: `${verb} server`,
      isDangerous: signal !== 'start',
      async act(api) {
        await api.servers.power.mutate({ server_identifier: identifier, signal });
        onSent();
        return [...withNames`${name}`, ` ${sent}`];
      },
    });
  };
  return (
    <>
      {signals.map((signal) => {
        const { icon, verb } = signalTexts[signal];
        return <ActionButton key={signal} icon={icon} label={verb} about={name} onAct={() => ask(signal)} />;
      })}
      {dialog}
    </>
  );
}
