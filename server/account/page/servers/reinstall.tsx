/** Reinstalls a server, after a backup if the user wants one. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { dayMs } from '../../../../models/support/durations.ts';
import { type Api, type BackupList, ShownFailure } from '../api.ts';
import { ActionButton } from '../controls.tsx';
import { FormDialog, useDialog } from '../dialog.tsx';
import { textOf } from '../fields.tsx';
import { FailureNotice } from '../form.tsx';
import { useAction, useShell } from '../shell.ts';
import { withNames } from '../text.tsx';
import { formatDateTime } from '../time.tsx';
import type { PartProps } from './part-props.ts';

type Props = Pick<PartProps, 'server' | 'onChanged'>;

export function Reinstall(props: Props) {
  const { name, identifier: server_identifier } = props.server;
  const { api } = useShell();
  const { dialog, show } = useDialog();
  const action = useAction();
  const open = () =>
    action.run(async () => {
      const list = await api.servers.backups.list.query({ server_identifier });
      show(<ReinstallDialog {...props} list={list} />);
    });
  return (
    <div class="panel stack">
      <h2>Reinstall</h2>
      <p>Runs the installation of the game again: to install another version, or to repair its files.</p>
      <ActionButton label="Reinstall server" about={name} isDangerous isBusy={action.isBusy} onAct={open} />
      <FailureNotice of={action} />
      {dialog}
    </div>
  );
}

function ReinstallDialog({ server, list, onChanged }: Props & { list: BackupList }) {
  const { identifier: server_identifier, name } = server;
  const { isBackingUp, backUp } = useBackup(server_identifier);
  const send = async (api: Api, _: unknown, values: FormData) => {
    const chosen = textOf(values, 'backup');
    const backup = chosen === 'new' ? await backUp(api) : chosen || null;
    await api.servers.reinstall.mutate({ server_identifier, backup });
    onChanged();
    return withNames`${name} is being reinstalled`;
  };
  const choices = choicesOf(list);
  return (
    <FormDialog
      title={withNames`Reinstall ${name}?`}
      label="Reinstall server"
      isDangerous
      fields={[
        { name: 'backup', legend: 'Backup', type: 'radio', choices, preset: [choices[0]?.value] },
        <div key="progress" role="status">
          {isBackingUp && (
            <p class="backup-progress">
              <progress aria-label="Backup in progress" />
              Making a backup. If you close this, the backup goes on, but nothing is reinstalled.
            </p>
          )}
        </div>,
      ]}
      send={send}
    >
      <p>
        The server stops, and the installation of its game runs again. Files stay, unless the installation
        replaces or deletes them. Start the server when it has ended.
      </p>
      <LimitNote of={list} />
    </FormDialog>
  );
}

const isFull = ({ summary: { total, limit } }: BackupList) => limit !== null && total >= limit;

const LimitNote = ({ of: list }: { of: BackupList }) =>
  isFull(list) && (
    <p class="note">
      {list.summary.limit === 0
        ? 'This server is not allowed any backups.'
        : `This server has reached its limit of backups (${list.summary.limit}). To make a new one, delete one first.`}
    </p>
  );

const choicesOf = (list: BackupList) => [
  ...(isFull(list) ? [] : [{ value: 'new', content: 'Make a backup first' }]),
  ...recentIn(list),
  { value: '', content: 'Without a backup' },
];

/** The newest backup that the service accepts. */
const recentIn = ({ backups }: BackupList) =>
  backups
    .filter((each) => each.is_successful && Date.now() - Date.parse(each.created_at) < dayMs)
    .slice(0, 1)
    .map(({ uuid, name, created_at }) => ({
      value: uuid,
      content: <span>{withNames`Use the backup “${name}” of ${formatDateTime(created_at)}`}</span>,
    }));

/** Makes a backup, and waits for its end as long as the dialog is open. */
function useBackup(server_identifier: string) {
  const [isBackingUp, setBackingUp] = useState(false);
  const [closing] = useState(() => new AbortController());
  useEffect(() => () => closing.abort(), []);
  const begun = useRef<string | null>(null);
  const backUp = async ({ servers: { backups } }: Api) => {
    // After a lost connection, it waits for the backup that it began.
    begun.current ??= (await backups.create.mutate({ server_identifier })).backup.uuid;
    const request = { server_identifier, backup_uuid: begun.current, wait: 25 };
    for (;;) {
      const { backup } = await backups.get.query(request, { signal: closing.signal });
      if (backup.completed_at === null) continue;
      if (backup.is_successful) return backup.uuid;
      begun.current = null;
      throw new ShownFailure('The backup failed, so nothing was reinstalled.');
    }
  };
  return {
    isBackingUp,
    backUp(api: Api) {
      setBackingUp(true);
      return backUp(api).finally(() => setBackingUp(false));
    },
  };
}
