/** The actions on a server's files: create, download, move and delete. */
import { FormDialog, useDialog } from '../dialog.tsx';
import { useDrafts } from '../draft.ts';
import { Icon, type IconName } from '../icon.tsx';
import { go } from '../route.ts';
import { useDownload } from '../shell.ts';
import { withNames } from '../text.tsx';
import { addressOfFile, draftOf, joinPath, nameOf } from './paths.ts';

interface FileProps {
  identifier: string;
  path: string;
  onMoved(path: string): unknown;
}

interface Props extends FileProps {
  type: string;
  onDeleted(): unknown;
}

export function FileActions({ type, onDeleted, ...file }: Props) {
  const { identifier: server_identifier, path } = file;
  const { dialog, show, confirm } = useDialog();
  const { isBusy, download } = useDownload((api) =>
    api.servers.files.download.query({ server_identifier, file: path }),
  );
  const name = nameOf(path);
  const move = () => show(<MoveFileDialog {...file} />);
  const remove = () =>
    confirm({
      title: withNames`Delete ${name}?`,
      text: `${type === 'directory' ? 'Everything in it is deleted too. ' : ''}You can get it back only from a backup that contains it.`,
      verb: 'Delete',
      isDangerous: true,
      async act(api) {
        await api.servers.files.delete.mutate({ server_identifier, files: [path] });
        await onDeleted();
        return withNames`${name} is deleted`;
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

type ActionProps = { icon: IconName; label: string; isBusy?: boolean; onAct(): void };

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

interface DirectoryProps {
  identifier: string;
  directory: string;
  onChanged(): Promise<unknown>;
}

const nameField = {
  label: 'Name',
  missing: 'Give it a name.',
  autocapitalize: 'none',
  spellcheck: false,
} as const;

export function NewFileDialog({ identifier: server_identifier, directory }: DirectoryProps) {
  return (
    <FormDialog
      title="New file"
      label="Create file"
      request="servers.files.write"
      fields={[{ name: 'file', ...nameField }]}
      send={async (api, { file: name }) => {
        const file = joinPath(directory, name);
        await api.servers.files.write.mutate({ server_identifier, file, content: '', if_sha256: null });
        go(addressOfFile(server_identifier, file));
      }}
    />
  );
}

export function NewDirectoryDialog({ identifier: server_identifier, directory, onChanged }: DirectoryProps) {
  return (
    <FormDialog
      title="New directory"
      label="Create directory"
      request="servers.files.createDirectory"
      fields={[{ name: 'directory', ...nameField }]}
      send={async (api, { directory: name }) => {
        const path = joinPath(directory, name);
        await api.servers.files.createDirectory.mutate({ server_identifier, directory: path });
        await onChanged();
        return withNames`${name} is created`;
      }}
    />
  );
}

function MoveFileDialog({ identifier, path, onMoved }: FileProps) {
  const drafts = useDrafts();
  return (
    <FormDialog
      title={withNames`Move ${nameOf(path)}`}
      label="Move"
      request="servers.files.move"
      fields={[{ ...pathField, preset: path }]}
      send={async (api, { to }) => {
        await api.servers.files.move.mutate({ server_identifier: identifier, from: path, to });
        drafts.rename(draftOf(identifier, path), draftOf(identifier, to));
        await onMoved(to);
        return withNames`${nameOf(path)} is moved`;
      }}
    />
  );
}

const pathField = {
  ...nameField,
  name: 'to',
  label: 'New path',
  hint: "From the server's root. Missing directories are created. Nothing is overwritten.",
  missing: 'Give it a path.',
} as const;
