/** Power signals to a server, each confirmed first. */
import type { PowerSignal, Resources, Server } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { useDialog } from '../dialog.tsx';
import type { IconName } from '../icon.tsx';
import { named } from '../named.tsx';
import { conditionOf } from './server-state.tsx';

interface SignalTexts {
  verb: string;
  icon: IconName;
  /** What happens then. */
  text: string;
  /** What the server does then. */
  sent: string;
}

const signalTexts: Record<PowerSignal, SignalTexts> = {
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

/** The signals that change something; all of them while the state is not known. */
const signalsFor: Record<string, PowerSignal[]> = {
  running: ['restart', 'stop'],
  starting: ['stop'],
  stopping: [],
  offline: ['start'],
};

interface Props {
  server: Server;
  /** Null until they are known. */
  resources: Resources | null;
  onSent(): void;
}

export function PowerButtons({ server, resources, onSent }: Props) {
  const { dialog, confirm } = useDialog();
  const { name, identifier } = server;
  const isOffered = resources && !conditionOf(server);
  const signals = isOffered ? (signalsFor[resources.state] ?? ['start', 'restart', 'stop']) : [];
  const ask = (signal: PowerSignal) => {
    const { verb, text, sent } = signalTexts[signal];
    confirm({
      title: [`${verb} `, ...named`${name}?`],
      text,
      verb: `${verb} server`,
      isDangerous: signal !== 'start',
      async act(api) {
        await api.servers.power.mutate({ server_identifier: identifier, signal });
        onSent();
        return [...named`${name}`, ` ${sent}`];
      },
    });
  };
  return (
    <>
      {signals.map((signal) => (
        <ActionButton
          key={signal}
          icon={signalTexts[signal].icon}
          label={signalTexts[signal].verb}
          about={name}
          onAct={() => ask(signal)}
        />
      ))}
      {dialog}
    </>
  );
}
