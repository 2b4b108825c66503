/** A directory of a server, with what can be done there. */
import type { Api, ServerFile } from '../api.ts';
import { useDialog } from '../dialog.tsx';
import { Icon } from '../icon.tsx';
import { Item } from '../item.tsx';
import { PagedList, ResourceView } from '../resource-view.tsx';
import { Time } from '../time.tsx';
import { usePages } from '../use-pages.ts';
import { Blank } from '../view.tsx';
import { sizeOf } from './figures.tsx';
import { FileActions } from './file-actions.tsx';
import { NewDirectoryDialog, NewFileDialog } from './file-dialogs.tsx';
import { addressOfDirectory, addressOfFile, joinPath } from './paths.ts';

interface Props {
  /** Of the server. */
  identifier: string;
  directory: string;
}

export function FileList({ identifier, directory }: Props) {
  const request = { server_identifier: identifier, directory };
  const pages = usePages(async (api: Api, last?: ServerFile) => {
    const { files, truncated } = await api.servers.files.list.query({
      ...request,
      ...(last && { after: last.name }),
    });
    return { items: files, hasMore: truncated };
  });
  const { dialog, show } = useDialog();
  const place = { identifier, directory, onChanged: pages.refresh };
  return (
    <>
      <div class="actions">
        <button type="button" class="button is-small" onClick={() => show(<NewFileDialog {...place} />)}>
          <Icon name="plus" />
          New file
        </button>
        <button type="button" class="button is-small" onClick={() => show(<NewDirectoryDialog {...place} />)}>
          <Icon name="plus" />
          New directory
        </button>
      </div>
      <ResourceView of={pages}>
        {({ items }) => (
          <>
            {items.length === 0 && <Blank title="Nothing in it" text="This directory is empty." />}
            <PagedList of={pages} class="panel" label="Files" more="Show more files" isSmall>
              {(file) => <FileRow key={file.name} file={file} {...place} />}
            </PagedList>
          </>
        )}
      </ResourceView>
      {dialog}
    </>
  );
}

interface RowProps extends Props {
  file: ServerFile;
  onChanged(): Promise<unknown>;
}

const FileRow = ({ file, identifier, directory, onChanged }: RowProps) => {
  const path = joinPath(directory, file.name);
  return (
    <Item
      isLine
      title={<FileName {...{ file, identifier, path }} />}
      about={
        <span class="note">
          {file.type === 'file' ? sizeOf(file.bytes) : (words[file.type] ?? file.type)},{' '}
          <Time iso={file.modified_at} isRelative />
        </span>
      }
      actions={
        <FileActions {...{ identifier, path }} type={file.type} onMoved={onChanged} onDeleted={onChanged} />
      }
    />
  );
};

const words: Record<string, string> = { other: 'pipe, device or socket' };

interface NameProps extends Pick<RowProps, 'file' | 'identifier'> {
  path: string;
}

/** A link leads nowhere, and what is no file is never opened. */
function FileName({ file: { name, type }, identifier, path }: NameProps) {
  const addresses: Record<string, string> = {
    file: addressOfFile(identifier, path),
    directory: addressOfDirectory(identifier, path),
  };
  const address = addresses[type];
  return (
    <span class="file-name" translate={false}>
      <Icon name={type === 'directory' ? 'folder' : 'file'} />
      {address ? (
        <a href={address} dir="auto">
          {name}
        </a>
      ) : (
        <bdi>{name}</bdi>
      )}
    </span>
  );
}
