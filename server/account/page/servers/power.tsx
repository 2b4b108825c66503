/** Power signals to a server, each confirmed first. */

import type { Api, PowerSignal, Resources, Server } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { ConfirmDialog, useDialog } from '../dialog.tsx';
import type { IconName } from '../icon.tsx';
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
  const { dialog, show } = useDialog();
  const isOffered = resources && !conditionOf(server);
  const signals = isOffered ? (signalsFor[resources.state] ?? ['start', 'restart', 'stop']) : [];
  return (
    <>
      {signals.map((signal) => (
        <ActionButton
          key={signal}
          icon={signalTexts[signal].icon}
          label={signalTexts[signal].verb}
          about={server.name}
          onAct={() => show(<PowerDialog {...{ server, signal, onSent }} />)}
        />
      ))}
      {dialog}
    </>
  );
}

interface DialogProps extends Pick<Props, 'server' | 'onSent'> {
  signal: PowerSignal;
}

function PowerDialog({ server: { name, identifier }, signal, onSent }: DialogProps) {
  const { verb, text, sent } = signalTexts[signal];
  const send = async (api: Api) => {
    await api.servers.power.mutate({ server_identifier: identifier, signal });
    onSent();
    return (
      <>
        <bdi>{name}</bdi> {sent}
      </>
    );
  };
  return (
    <ConfirmDialog
      title={
        <>
          {verb} <bdi>{name}</bdi>?
        </>
      }
      verb={`${verb} server`}
      isDangerous={signal !== 'start'}
      act={send}
    >
      <p>{text}</p>
    </ConfirmDialog>
  );
}
