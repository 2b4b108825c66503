/** A server's files: the directory or the file that the address names. */
import type { Api, Server, ServerFile } from '../api.ts';
import { useDialog } from '../dialog.tsx';
import { Icon } from '../icon.tsx';
import { Item } from '../item.tsx';
import { ListView } from '../list-view.tsx';
import { Time } from '../time.tsx';
import { itemsIn, usePages } from '../use-query.ts';
import { sizeOf } from './figures.tsx';
import { FileActions, NewDirectoryDialog, NewFileDialog } from './file-actions.tsx';
import { FileView } from './file-view.tsx';
import { addressOfDirectory, addressOfFile, joinPath, nameOf, pathsTo } from './paths.ts';

export function FilesPart({ server: { identifier }, query }: { server: Server; query: URLSearchParams }) {
  const file = query.get('file');
  const directory = query.get('directory') ?? '/';
  return (
    <>
      {(file ?? directory) !== '/' && <Crumbs identifier={identifier} path={file ?? directory} />}
      {file === null ? (
        <FileList key={directory} identifier={identifier} directory={directory} />
      ) : (
        <FileView key={file} identifier={identifier} path={file} />
      )}
    </>
  );
}

function Crumbs({ identifier, path }: { identifier: string; path: string }) {
  return (
    <nav aria-label="Path">
      <ol class="crumbs">
        {pathsTo(path).map((each) => {
          const isCurrent = each === path;
          const name = (
            <bdi translate={each === '/'} aria-current={isCurrent ? 'page' : undefined}>
              {nameOf(each) || 'Files'}
            </bdi>
          );
          return (
            <li key={each}>{isCurrent ? name : <a href={addressOfDirectory(identifier, each)}>{name}</a>}</li>
          );
        })}
      </ol>
    </nav>
  );
}

function FileList({ identifier, directory }: { identifier: string; directory: string }) {
  const request = { server_identifier: identifier, directory };
  const pages = usePages(async (api: Api, last?: ServerFile) => {
    const { files, truncated } = await api.servers.files.list.query({
      ...request,
      ...(last && { after: last.name }),
    });
    return { items: files, hasMore: truncated };
  });
  const { dialog, show } = useDialog();
  const props = { identifier, directory, onChanged: pages.refresh };
  return (
    <>
      <div class="actions">
        <button type="button" class="button is-small" onClick={() => show(<NewFileDialog {...props} />)}>
          <Icon name="plus" />
          New file
        </button>
        <button type="button" class="button is-small" onClick={() => show(<NewDirectoryDialog {...props} />)}>
          <Icon name="plus" />
          New directory
        </button>
      </div>
      <ListView
        query={pages}
        items={itemsIn}
        label="Files"
        more="Show more files"
        blank={{ title: 'This directory is empty', text: 'Create a file or a directory in it.' }}
        item={(file: ServerFile) => <FileRow key={file.name} file={file} {...props} />}
      />
      {dialog}
    </>
  );
}

type RowProps = { file: ServerFile; identifier: string; directory: string; onChanged(): Promise<unknown> };

const FileRow = ({ file, identifier, directory, onChanged }: RowProps) => (
  <Item
    isLine
    title={<FileName {...{ file, identifier, directory }} />}
    about={
      <span class="note">
        {file.type === 'file' ? sizeOf(file.bytes) : (words[file.type] ?? file.type)},{' '}
        <Time iso={file.modified_at} isRelative />
      </span>
    }
    actions={
      <FileActions
        identifier={identifier}
        path={joinPath(directory, file.name)}
        type={file.type}
        onMoved={onChanged}
        onDeleted={onChanged}
      />
    }
  />
);

const words: Record<string, string> = { other: 'pipe, device or socket' };

/** Only files and directories have a page; a symbolic link has none. */
function FileName({ file: { name, type }, identifier, directory }: Omit<RowProps, 'onChanged'>) {
  const path = joinPath(directory, name);
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
