/** What can be done with a file, in its list and where it is shown: download, move, delete. */
import { useDialog } from '../dialog.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { named } from '../named.tsx';
import { useDownload } from '../use-download.ts';
import { MoveFileDialog } from './file-dialogs.tsx';
import { nameOf } from './paths.ts';

interface Props {
  /** Of the server. */
  identifier: string;
  path: string;
  type: string;
  onMoved(path: string): unknown;
  onDeleted(): unknown;
}

export function FileActions({ type, onMoved, onDeleted, ...file }: Props) {
  const { identifier: server_identifier, path } = file;
  const { dialog, show, confirm } = useDialog();
  const { isBusy, download } = useDownload((api) =>
    api.servers.files.download.query({ server_identifier, file: path }),
  );
  const name = nameOf(path);
  const move = () => show(<MoveFileDialog {...file} onMoved={onMoved} />);
  const remove = () =>
    confirm({
      title: named`Delete ${name}?`,
      text: `${type === 'directory' ? 'All that is in it is deleted too. ' : ''}This cannot be undone, except by a backup that holds it.`,
      verb: 'Delete',
      isDangerous: true,
      async act(api) {
        await api.servers.files.delete.mutate({ server_identifier, files: [path] });
        await onDeleted();
        return named`${name} is deleted`;
      },
    });
  return (
    <>
      {type === 'file' && (
        <FileAction icon="download" label={`Download ${name}`} isBusy={isBusy} onAct={download} />
      )}
      <FileAction icon="edit" label={`Move or rename ${name}`} onAct={move} />
      <FileAction icon="trash" label={`Delete ${name}`} onAct={remove} />
      {dialog}
    </>
  );
}

interface ActionProps {
  icon: IconName;
  label: string;
  isBusy?: boolean;
  onAct(): void;
}

const FileAction = ({ icon, label, isBusy = false, onAct }: ActionProps) => (
  <button
    type="button"
    class="icon-button"
    title={label}
    aria-label={label}
    aria-disabled={isBusy}
    onClick={() => !isBusy && onAct()}
  >
    <Icon name={icon} />
  </button>
);
