/** Dialogs that create, move and delete a server's files. */
import type { Api } from '../api.ts';
import { FormDialog } from '../dialog.tsx';
import { renameDrafts } from '../draft.ts';
import { type FormField, trimmedOf } from '../form.tsx';
import { named } from '../named.tsx';
import { go } from '../route.ts';
import { useShell } from '../shell.ts';
import { addressOfFile, draftOf, joinPath, nameOf } from './paths.ts';

interface PlaceProps {
  /** Of the server. */
  identifier: string;
  directory: string;
  onChanged(): Promise<unknown>;
}

const nameField = (name: string): FormField => ({
  ...{ name, label: 'Name', missing: 'Give it a name.', maxLength: 1000 },
  ...{ autocomplete: 'off', autocapitalize: 'none', spellcheck: false, autofocus: true },
});

/** Goes to the editor of the new file. */
export function NewFileDialog({ identifier, directory }: PlaceProps) {
  const create = async (api: Api, values: FormData) => {
    const file = joinPath(directory, trimmedOf(values, 'file'));
    const request = { server_identifier: identifier, file, content: '', if_sha256: null };
    await api.servers.files.write.mutate(request);
    go(addressOfFile(identifier, file));
  };
  return <FormDialog title="New file" label="Create file" fields={[nameField('file')]} send={create} />;
}

export function NewDirectoryDialog({ identifier, directory, onChanged }: PlaceProps) {
  const create = async (api: Api, values: FormData) => {
    const name = trimmedOf(values, 'directory');
    const path = joinPath(directory, name);
    await api.servers.files.createDirectory.mutate({ server_identifier: identifier, directory: path });
    await onChanged();
    return named`${name} is created`;
  };
  return (
    <FormDialog
      title="New directory"
      label="Create directory"
      fields={[nameField('directory')]}
      send={create}
    />
  );
}

interface MoveProps {
  /** Of the server. */
  identifier: string;
  path: string;
  onMoved(path: string): unknown;
}

export function MoveFileDialog({ identifier, path, onMoved }: MoveProps) {
  const { userId } = useShell();
  const move = async (api: Api, values: FormData) => {
    const to = trimmedOf(values, 'to');
    await api.servers.files.move.mutate({ server_identifier: identifier, from: path, to });
    renameDrafts(userId, draftOf(identifier, path), draftOf(identifier, to));
    await onMoved(to);
    return named`${nameOf(path)} is moved`;
  };
  const field: FormField = {
    ...nameField('to'),
    ...{ label: 'New path', missing: 'Give it a path.', maxLength: 4096, defaultValue: path },
    hint: "From the server's root. Directories that are missing are made; nothing is overwritten.",
  };
  return <FormDialog title={named`Move ${nameOf(path)}`} label="Move" fields={[field]} send={move} />;
}
