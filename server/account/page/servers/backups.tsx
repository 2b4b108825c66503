/** A server's backups: listed when they are opened, with the progress of the one that is being made. */
import { useCallback, useState } from 'preact/hooks';
import type { Backup, BackupList, Server } from '../api.ts';
import { Problem } from '../form.tsx';
import { useAction, useShell } from '../shell.ts';
import { Time } from '../time.tsx';
import { usePolling } from '../use-polling.ts';
import { CreateBackupDialog } from './create-backup-dialog.tsx';
import { sizeOf } from './figures.tsx';

const progressMs = 3000;

export function Backups({ server }: { server: Server }) {
  const { list, failure, load, reload } = useBackups(server.identifier);
  const [isCreating, setCreating] = useState(false);
  const onToggle = ({ currentTarget }: { currentTarget: HTMLDetailsElement }) => {
    if (currentTarget.open) void load();
  };
  return (
    <details class="backups" onToggle={onToggle}>
      <summary>
        Backups<span class="visually-hidden"> of {server.name}</span>
        {list && <span class="count">{countOf(list)}</span>}
      </summary>
      <div role="alert">{failure && <Problem text={failure} />}</div>
      {list && list.backups.length > 0 && (
        <ul aria-label={`Backups of ${server.name}`}>
          {list.backups.map((backup) => (
            <BackupItem key={backup.uuid} backup={backup} />
          ))}
        </ul>
      )}
      {list && (
        <button type="button" class="button is-small" onClick={() => setCreating(true)}>
          Create a backup<span class="visually-hidden"> of {server.name}</span>
        </button>
      )}
      {isCreating && (
        <CreateBackupDialog server={server} onClose={() => setCreating(false)} onCreated={reload} />
      )}
    </details>
  );
}

const countOf = ({ summary: { total, limit } }: BackupList) =>
  limit === null ? String(total) : `${total} of ${limit}`;

function useBackups(server_identifier: string) {
  const { api } = useShell();
  const { failure, run } = useAction();
  const [list, setList] = useState<BackupList | null>(null);
  const reload = useCallback(
    async () => setList(await api.servers.backups.list.query({ server_identifier })),
    [api, server_identifier],
  );
  const isBusy = list?.backups.some(({ completed_at }) => completed_at === null) ?? false;
  usePolling(reload, isBusy ? progressMs : null);
  return { list, failure, load: () => run(reload), reload };
}

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
