/** Starts a backup of a server, with a name of the user's choice. */
import type { Server } from '../api.ts';
import { DialogForm } from '../dialog.tsx';
import { Field } from '../field.tsx';
import { textOf } from '../form.tsx';
import { useAction, useShell } from '../shell.ts';

interface Props {
  server: Server;
  onClose(): void;
  onCreated(): Promise<unknown>;
}

export function CreateBackupDialog({ server, onClose, onCreated }: Props) {
  const { api, notify } = useShell();
  const action = useAction();
  const create = (values: FormData) =>
    action.run(async () => {
      const name = textOf(values, 'backup').trim();
      await api.servers.backups.create.mutate({
        server_identifier: server.identifier,
        ...(name && { name }),
      });
      await onCreated();
      onClose();
      notify(
        <>
          A backup of <bdi>{server.name}</bdi> is being made
        </>,
      );
    });
  return (
    <DialogForm
      title={
        <>
          Back up <bdi>{server.name}</bdi>
        </>
      }
      label="Create backup"
      draft={`backup:${server.identifier}`}
      action={action}
      onSubmit={create}
      onClose={onClose}
    >
      <Field label="Name" hint="Left empty, the panel names it by the time.">
        {(inputProps) => <input {...inputProps} name="backup" maxLength={190} autocomplete="off" autofocus />}
      </Field>
    </DialogForm>
  );
}
