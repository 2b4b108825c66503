/** A server's backups: lists them with their progress, and creates, downloads, restores and deletes them. */
import type { ComponentChildren } from 'preact';
import type { Api, Backup, BackupList, Resources, Server } from '../api.ts';
import { ActionButton } from '../controls.tsx';
import { Dialog, FormDialog, type Question, useDialog } from '../dialog.tsx';
import { orAbsent } from '../fields.tsx';
import { Item } from '../item.tsx';
import { ListView } from '../list-view.tsx';
import { useDownload } from '../shell.ts';
import { withNames } from '../text.tsx';
import { Time } from '../time.tsx';
import { useQuery } from '../use-query.ts';
import { sizeOf } from './figures.tsx';

const progressMs = 3000;

type Props = { server: Server; resources: Resources | null; onChanged(): void };

export function BackupsPart({ server, resources, onChanged }: Props) {
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
      <ListView
        query={query}
        items={({ backups }) => backups}
        label={`Backups of ${name}`}
        blank={{ title: 'No backups yet', text: "Create one to keep a copy of all the server's files." }}
        item={(backup) => (
          <BackupItem
            key={backup.uuid}
            {...{ server, backup, canRestore }}
            onDeleted={query.refresh}
            onRestoring={onChanged}
          />
        )}
      />
    </>
  );
}

type CreateProps = { server: Server; list: BackupList | null; onCreated(): Promise<unknown> };

function CreateButton({ server: { name, identifier: server_identifier }, list, onCreated }: CreateProps) {
  const { dialog, show } = useDialog();
  const title = 'Create backup';
  const form = (
    <FormDialog
      title={title}
      label="Create backup"
      draft={`backup:${server_identifier}`}
      request="servers.backups.create"
      fields={[backupNameField]}
      send={async (api, given) => {
        await api.servers.backups.create.mutate({ server_identifier, ...given });
        await onCreated();
        return withNames`A backup of ${name} is being made`;
      }}
    />
  );
  return (
    <>
      <button
        type="button"
        class="button is-small"
        onClick={() => show(list && isFull(list) ? <NoMoreBackups {...{ title, list }} /> : form)}
      >
        Create backup<span class="visually-hidden"> of {name}</span>
      </button>
      {dialog}
    </>
  );
}

const backupNameField = {
  name: 'name',
  label: 'Name',
  hint: 'If you leave it empty, the panel names the backup after the current time.',
  read: orAbsent,
} as const;

type FullProps = { title: ComponentChildren; list: BackupList };

/** Shown instead of the form, so that no one types a name for a backup that will be refused. */
const NoMoreBackups = ({ title, list: { summary } }: FullProps) => (
  <Dialog title={title}>
    <p>
      {summary.limit === 0
        ? 'This server is not allowed any backups.'
        : `This server has reached its limit of backups (${summary.limit}). Delete one first.`}
    </p>
  </Dialog>
);

const isFull = ({ summary: { total, limit } }: BackupList) => limit !== null && total >= limit;

/** The panel does not restore a backup while the server uses its files. */
const isUp = (resources: Resources | null) =>
  ['running', 'starting', 'stopping'].includes(resources?.state ?? '');

const countOf = ({ summary: { total, limit } }: BackupList) =>
  limit === null ? String(total) : `${total} of ${limit}`;

interface ItemProps {
  server: Server;
  backup: Backup;
  canRestore: boolean;
  onDeleted(): Promise<unknown>;
  /** Reads the server again: during the restore, the panel does not list its backups. */
  onRestoring(): void;
}

const BackupItem = (props: ItemProps) => (
  <Item
    isLine
    title={props.backup.name}
    about={
      <>
        <BackupState backup={props.backup} />
        <span class="note">
          <Time iso={props.backup.created_at} isRelative />
        </span>
      </>
    }
    actions={<BackupActions {...props} />}
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

function BackupActions(props: ItemProps) {
  const { backup, canRestore } = props;
  const { name, is_successful, is_locked } = backup;
  const { dialog, confirm } = useDialog();
  const { isBusy, download } = useDownload((api) => api.servers.backups.download.query(requestOf(props)));
  const restore = () => confirm(restoration(props));
  const remove = () => confirm(deletion(props));
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

const requestOf = ({ server, backup }: ItemProps) => ({
  server_identifier: server.identifier,
  backup_uuid: backup.uuid,
});

const restoration = (props: ItemProps): Question => ({
  title: withNames`Restore ${props.backup.name}?`,
  text: withNames`Its files overwrite those of ${props.server.name}. The server must be stopped, and you cannot start it until the restore is done.`,
  more: <p>This cannot be undone. To keep the current files, create a backup first.</p>,
  fields: [{ name: 'delete_files', box: 'Delete all files of the server first' }],
  verb: 'Restore backup',
  isDangerous: true,
  async act(api, given) {
    const delete_files = given['delete_files'] === true;
    await api.servers.backups.restore.mutate({ ...requestOf(props), delete_files });
    props.onRestoring();
    return withNames`${props.server.name} is being restored`;
  },
});

const deletion = (props: ItemProps): Question => ({
  title: withNames`Delete ${props.backup.name}?`,
  text: 'This cannot be undone: you cannot get a deleted backup back.',
  verb: 'Delete backup',
  isDangerous: true,
  async act(api) {
    await api.servers.backups.delete.mutate(requestOf(props));
    await props.onDeleted();
    return withNames`${props.backup.name} is deleted`;
  },
});
