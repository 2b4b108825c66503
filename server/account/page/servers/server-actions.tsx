/** The main action of a server, which its state decides, and a menu of the others. */
import type { PowerSignal, Server } from '../api.ts';
import { useDialog } from '../dialog.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { Menu, MenuItem } from '../menu.tsx';
import { withNames } from '../text.tsx';
import { conditionOf } from './conditions.ts';

interface Props {
  server: Server;
  /** Null until it is known. */
  state: string | null;
  /** Why the state is unknown. */
  reason: string | null | undefined;
  /** Called when the panel has accepted a signal. */
  onSent(): void;
  onAsk(): void;
}

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

/**
 * The signals that change something in each state, the main one first. A state that is not listed offers all of them.
 * The main one of a moving server is shown, but does nothing, so that its button stays where it is.
 */
const signalsFor: Record<string, PowerSignal[]> = {
  running: ['restart', 'stop'],
  starting: ['start', 'stop'],
  stopping: ['restart'],
  offline: ['start'],
};

/** @returns a dialog, and a function that asks before it sends a signal */
export function usePower({ server: { name, identifier }, onSent }: Pick<Props, 'server' | 'onSent'>) {
  const { dialog, confirm } = useDialog();
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
  return { dialog, ask };
}

export function ServerActions({ server, state, reason, onSent, onAsk }: Props) {
  const { dialog, ask } = usePower({ server, onSent });
  const { name } = server;
  const condition = conditionOf(server, reason);
  const isOffered = state !== null && condition === null;
  const [main, ...others] = isOffered ? (signalsFor[state] ?? ['start', 'restart', 'stop']) : [];
  return (
    <div class="actions server-actions">
      {main && <MainButton name={name} state={state} signal={main} onPress={() => ask(main)} />}
      {condition?.needsHost && (
        <button type="button" class="button is-small" onClick={onAsk}>
          Open a ticket<span class="visually-hidden"> about {name}</span>
        </button>
      )}
      <Menu label={`More actions for ${name}`} class="icon-button" button={<Icon name="dots" />}>
        {others.map((signal) => (
          <SignalItem key={signal} {...{ name, signal }} onPress={() => ask(signal)} />
        ))}
        {!condition?.needsHost && (
          <MenuItem icon="chat" onClick={onAsk}>
            Open a ticket<span class="visually-hidden"> about {name}</span>
          </MenuItem>
        )}
        <PanelLink server={server} />
      </Menu>
      {dialog}
    </div>
  );
}

type SignalProps = { name: string; signal: PowerSignal; onPress(): void };

function MainButton({ name, state, signal, onPress }: SignalProps & { state: string | null }) {
  const { verb, icon } = signalTexts[signal];
  const isMoving = state === 'starting' || state === 'stopping';
  return (
    <button
      type="button"
      class={signal === 'start' ? 'button is-small is-primary' : 'button is-small'}
      aria-label={`${verb} ${name}`}
      aria-disabled={isMoving}
      title={isMoving ? `The server is ${state}` : undefined}
      onClick={() => !isMoving && onPress()}
    >
      <Icon name={icon} />
      {verb}
    </button>
  );
}

const SignalItem = ({ name, signal, onPress }: SignalProps) => (
  <MenuItem icon={signalTexts[signal].icon} isDangerous={signal === 'stop'} onClick={onPress}>
    {signalTexts[signal].verb}
    <span class="visually-hidden"> {name}</span>
  </MenuItem>
);

const PanelLink = ({ server: { panel_url, name } }: { server: Server }) =>
  panel_url && (
    <a
      class="menu-item"
      href={panel_url}
      target="_blank"
      rel="noreferrer"
      onClick={({ currentTarget }) => currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()}
    >
      <Icon name="external" />
      Open the panel<span class="visually-hidden"> of {name}, in a new tab</span>
    </a>
  );
