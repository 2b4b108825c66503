/** A server's backups: listed with the progress of the one that is being made, created, downloaded, restored and deleted. */
import type { Api, Backup, BackupList, Resources, Server } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { useDialog } from '../dialog.tsx';
import { Item, List } from '../item.tsx';
import { ResourceView } from '../resource-view.tsx';
import { Time } from '../time.tsx';
import { useDownload } from '../use-download.ts';
import { useQuery } from '../use-query.ts';
import { Blank } from '../view.tsx';
import {
  CreateBackupDialog,
  DeleteBackupDialog,
  NoMoreBackups,
  RestoreBackupDialog,
} from './backup-dialogs.tsx';
import { sizeOf } from './figures.tsx';
import type { PartProps } from './part.ts';

const progressMs = 3000;

export function BackupsPart({ server, resources, onChanged }: PartProps) {
  const { identifier: server_identifier, name } = server;
  const query = useQuery((api: Api) => api.servers.backups.list.query({ server_identifier }), {
    pace: (list) => (list?.backups.some(({ completed_at }) => completed_at === null) ? progressMs : null),
  });
  const { content } = query;
  const canRestore = !isUp(resources);
  return (
    <>
      <div class="actions">
        <CreateButton server={server} list={content} onCreated={query.refresh} />
        {content && <span class="count">{countOf(content)}</span>}
      </div>
      {!canRestore && content?.backups.some(({ is_successful }) => is_successful) && (
        <p class="note">Stop the server to restore a backup.</p>
      )}
      <ResourceView of={query}>
        {({ backups }) => (
          <List
            label={`Backups of ${name}`}
            items={backups}
            empty={<Blank title="No backups yet" text="A backup holds all files of the server." />}
          >
            {(backup) => (
              <BackupItem
                key={backup.uuid}
                {...{ server, backup, canRestore }}
                onDeleted={query.refresh}
                onRestoring={onChanged}
              />
            )}
          </List>
        )}
      </ResourceView>
    </>
  );
}

interface CreateProps {
  server: Server;
  /** Null until it is known. */
  list: BackupList | null;
  onCreated(): Promise<unknown>;
}

function CreateButton({ server, list, onCreated }: CreateProps) {
  const { dialog, show } = useDialog();
  const create = () =>
    show(
      list && isFull(list) ? (
        <NoMoreBackups server={server} limit={list.summary.limit} />
      ) : (
        <CreateBackupDialog {...{ server, onCreated }} />
      ),
    );
  return (
    <>
      <button type="button" class="button is-small" onClick={create}>
        Create a backup<span class="visually-hidden"> of {server.name}</span>
      </button>
      {dialog}
    </>
  );
}

const isFull = ({ summary: { total, limit } }: BackupList) => limit !== null && total >= limit;

/** A panel restores nothing over the files of a server that uses them. */
const isUp = (resources: Resources | null) =>
  ['running', 'starting', 'stopping'].includes(resources?.state ?? '');

const countOf = ({ summary: { total, limit } }: BackupList) =>
  limit === null ? String(total) : `${total} of ${limit}`;

interface ItemProps {
  server: Server;
  backup: Backup;
  canRestore: boolean;
  onDeleted(): Promise<unknown>;
  /** Its backups are not listed until it is restored. */
  onRestoring(): void;
}

const BackupItem = ({ backup, ...item }: ItemProps) => (
  <Item
    isLine
    title={backup.name}
    about={
      <>
        <BackupState backup={backup} />
        <span class="note">
          <Time iso={backup.created_at} isRelative />
        </span>
      </>
    }
    actions={<BackupActions backup={backup} {...item} />}
  />
);

function BackupState({ backup: { completed_at, is_successful, is_locked, bytes } }: { backup: Backup }) {
  if (completed_at === null)
    return (
      <span class="backup-progress" role="status">
        <progress aria-label="Backup in progress" /> in progress
      </span>
    );
  if (!is_successful) return <span class="badge is-warning">failed</span>;
  return (
    <span class="note">
      {sizeOf(bytes)}
      {is_locked && ', locked'}
    </span>
  );
}

function BackupActions({ server, backup, canRestore, onDeleted, onRestoring }: ItemProps) {
  const { uuid, name, is_successful, is_locked } = backup;
  const request = { server_identifier: server.identifier, backup_uuid: uuid };
  const { dialog, show } = useDialog();
  const { isBusy, download } = useDownload((api) => api.servers.backups.download.query(request));
  const restore = () => show(<RestoreBackupDialog {...{ server, backup, onRestoring }} />);
  const remove = () => show(<DeleteBackupDialog {...{ server, backup, onDeleted }} />);
  return (
    <>
      {is_successful && (
        <ActionButton icon="download" label="Download" about={name} isBusy={isBusy} onAct={download} />
      )}
      {is_successful && canRestore && (
        <ActionButton icon="rotate" label="Restore" about={name} isDangerous onAct={restore} />
      )}
      {!(is_locked && is_successful) && (
        <ActionButton icon="trash" label="Delete" about={name} isDangerous onAct={remove} />
      )}
      {dialog}
    </>
  );
}
