/** Asks for confirmation before a power signal, and names the server that gets it. */
import type { PowerSignal, Server } from '../api.ts';
import { DialogForm } from '../dialog.tsx';
import type { IconName } from '../icon.tsx';
import { useAction, useShell } from '../shell.ts';

export const powerTexts: Record<PowerSignal, { verb: string; icon: IconName; text: string; sent: string }> = {
  start: { verb: 'Start', icon: 'play', text: 'Players can join as soon as it runs.', sent: 'is starting' },
  stop: {
    ...{ verb: 'Stop', icon: 'stop', sent: 'is stopping' },
    text: 'All players are disconnected, and no one can join until you start it again.',
  },
  restart: {
    ...{ verb: 'Restart', icon: 'refresh', sent: 'is restarting' },
    text: 'All players are disconnected, and can join again when it has started.',
  },
};

interface Props {
  server: Server;
  signal: PowerSignal;
  onClose(): void;
  onSent(): void;
}

export function PowerDialog({ server: { name, identifier }, signal, onClose, onSent }: Props) {
  const { api, notify } = useShell();
  const action = useAction();
  const { verb, text, sent } = powerTexts[signal];
  const send = () =>
    action.run(async () => {
      await api.servers.power.mutate({ server_identifier: identifier, signal });
      onSent();
      onClose();
      notify(
        <>
          <bdi>{name}</bdi> {sent}
        </>,
      );
    });
  return (
    <DialogForm
      title={
        <>
          {verb} <bdi>{name}</bdi>?
        </>
      }
      label={`${verb} server`}
      isDangerous={signal !== 'start'}
      action={action}
      onSubmit={send}
      onClose={onClose}
    >
      <p>{text}</p>
    </DialogForm>
  );
}
