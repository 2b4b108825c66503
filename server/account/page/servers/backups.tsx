/** A server's backups: listed when they are opened, with the progress of the one that is being made. */
import { useState } from 'preact/hooks';
import type { Api, Backup, BackupList, Server } from '../api.ts';
import { FormDialog, useDialog } from '../dialog.tsx';
import { FailureNotice, type FormField, trimmedOf } from '../form.tsx';
import { named } from '../named.tsx';
import { Time } from '../time.tsx';
import { useQuery } from '../use-query.ts';
import { sizeOf } from './figures.tsx';

const progressMs = 3000;

export function Backups({ server }: { server: Server }) {
  const { identifier: server_identifier, name } = server;
  const [isOpen, setOpen] = useState(false);
  const query = useQuery((api) => api.servers.backups.list.query({ server_identifier }), {
    isOn: isOpen,
    pace: (list) => (list?.backups.some(({ completed_at }) => completed_at === null) ? progressMs : null),
  });
  const { content: list } = query;
  const { dialog, show } = useDialog();
  const create = () => show(<CreateDialog server={server} onCreated={query.refresh} />);
  return (
    <details class="backups" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Backups<span class="visually-hidden"> of {name}</span>
        {list && <span class="count">{countOf(list)}</span>}
      </summary>
      <FailureNotice of={query} />
      {list && list.backups.length > 0 && (
        <ul aria-label={`Backups of ${name}`}>
          {list.backups.map((backup) => (
            <BackupItem key={backup.uuid} backup={backup} />
          ))}
        </ul>
      )}
      {list && (
        <button type="button" class="button is-small" onClick={create}>
          Create a backup<span class="visually-hidden"> of {name}</span>
        </button>
      )}
      {dialog}
    </details>
  );
}

const countOf = ({ summary: { total, limit } }: BackupList) =>
  limit === null ? String(total) : `${total} of ${limit}`;

const BackupItem = ({ backup }: { backup: Backup }) => (
  <li class="backup">
    <span class="backup-name" dir="auto">
      {backup.name}
    </span>
    <BackupState backup={backup} />
    <span class="note">
      <Time iso={backup.created_at} isRelative />
    </span>
  </li>
);

function BackupState({ backup: { completed_at, is_successful, bytes } }: { backup: Backup }) {
  if (completed_at === null)
    return (
      <span class="backup-progress" role="status">
        <progress aria-label="Backup in progress" /> in progress
      </span>
    );
  if (!is_successful) return <span class="badge is-warning">failed</span>;
  return <span class="note">{sizeOf(bytes)}</span>;
}

interface CreateProps {
  server: Server;
  onCreated(): Promise<unknown>;
}

function CreateDialog({ server: { name, identifier }, onCreated }: CreateProps) {
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

const nameField: FormField = {
  name: 'backup',
  label: 'Name',
  hint: 'Left empty, the panel names it by the time.',
  maxLength: 190,
  autocomplete: 'off',
  autofocus: true,
};
