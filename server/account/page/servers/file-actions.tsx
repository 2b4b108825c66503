/** The actions on a server's files: create, download, move and delete. */
import { type Dialogs, FormDialog } from '../dialog.tsx';
import { useDrafts } from '../draft.ts';
import { Icon } from '../icon.tsx';
import { Menu, MenuItem } from '../menu.tsx';
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
  /** The view's dialogs: a dialog of a row would vanish with the row. */
  dialogs: Dialogs;
  /** Left out if the menu offers no download. */
  onDownload?: (() => void) | false;
  onDeleted(): unknown;
}

/** A new link for each download, as each works once. */
export const useFileDownload = ({ identifier, path }: Pick<Props, 'identifier' | 'path'>) =>
  useDownload((api) => api.servers.files.download.query({ server_identifier: identifier, file: path }));

export function FileActions({ type, dialogs: { show, confirm }, onDownload, onDeleted, ...file }: Props) {
  const { identifier: server_identifier, path } = file;
  const name = nameOf(path);
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
    <Menu label={`Actions for ${name}`} class="icon-button" button={<Icon name="dots" />}>
      {onDownload && (
        <MenuItem icon="download" onClick={onDownload}>
          Download
        </MenuItem>
      )}
      <MenuItem icon="edit" onClick={() => show(<MoveFileDialog {...file} />)}>
        Rename or move
      </MenuItem>
      <MenuItem icon="trash" isDangerous onClick={remove}>
        Delete
      </MenuItem>
    </Menu>
  );
}

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
      title="Create file"
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
      title="Create directory"
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
      title={withNames`Rename or move ${nameOf(path)}`}
      label="Rename or move"
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
