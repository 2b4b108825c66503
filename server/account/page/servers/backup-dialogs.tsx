/** Dialogs that create, restore and delete a server's backups. */
import type { Api, Backup, Server } from '../api.ts';
import { ConfirmDialog, Dialog, FormDialog } from '../dialog.tsx';
import { type FormField, trimmedOf } from '../form.tsx';
import { named } from '../named.tsx';

interface CreateProps {
  server: Server;
  onCreated(): Promise<unknown>;
}

export function CreateBackupDialog({ server: { name, identifier }, onCreated }: CreateProps) {
  const create = async (api: Api, values: FormData) => {
    const backup = trimmedOf(values, 'backup');
    await api.servers.backups.create.mutate({
      server_identifier: identifier,
      ...(backup && { name: backup }),
    });
    await onCreated();
    return named`A backup of ${name} is being made`;
  };
  return (
    <FormDialog
      title={named`Back up ${name}`}
      label="Create backup"
      draft={`backup:${identifier}`}
      fields={[nameField]}
      send={create}
    />
  );
}

interface LimitProps {
  server: Server;
  limit: number | null;
}

/** Said before a name is typed in vain. */
export const NoMoreBackups = ({ server: { name }, limit }: LimitProps) => (
  <Dialog title={named`Back up ${name}`}>
    <p>
      {limit === 0
        ? 'This server may have no backups.'
        : `This server has all ${limit} backups it may have: delete one first.`}
    </p>
  </Dialog>
);

const nameField: FormField = {
  name: 'backup',
  label: 'Name',
  hint: 'Left empty, the panel names it by the time.',
  maxLength: 190,
  autocomplete: 'off',
  autofocus: true,
};

interface Props {
  server: Server;
  backup: Backup;
}

const requestOf = ({ server, backup }: Props) => ({
  server_identifier: server.identifier,
  backup_uuid: backup.uuid,
});

interface RestoreProps extends Props {
  onRestoring(): void;
}

export function RestoreBackupDialog({ server, backup, onRestoring }: RestoreProps) {
  const restore = async (api: Api, values: FormData) => {
    const delete_files = values.has('delete_files');
    await api.servers.backups.restore.mutate({ ...requestOf({ server, backup }), delete_files });
    onRestoring();
    return named`${server.name} is being restored`;
  };
  return (
    <ConfirmDialog title={named`Restore ${backup.name}?`} verb="Restore backup" isDangerous act={restore}>
      <p>
        Its files are written over those of <bdi>{server.name}</bdi>, which must be stopped, and cannot be
        started until that is done.
      </p>
      <p>This cannot be undone, except by restoring a backup that you create before.</p>
      <label class="check">
        <input type="checkbox" name="delete_files" />
        Delete all files of the server first
      </label>
    </ConfirmDialog>
  );
}

interface DeleteProps extends Props {
  onDeleted(): Promise<unknown>;
}

export function DeleteBackupDialog({ server, backup, onDeleted }: DeleteProps) {
  const remove = async (api: Api) => {
    await api.servers.backups.delete.mutate(requestOf({ server, backup }));
    await onDeleted();
    return named`${backup.name} is deleted`;
  };
  return (
    <ConfirmDialog title={named`Delete ${backup.name}?`} verb="Delete backup" isDangerous act={remove}>
      <p>This cannot be undone: nothing brings a deleted backup back.</p>
    </ConfirmDialog>
  );
}
