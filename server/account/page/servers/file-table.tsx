/** The files of a directory as a table, which each column sorts. */
import { useState } from 'preact/hooks';
import type { ServerFile } from '../api.ts';
import type { Dialogs } from '../dialog.tsx';
import { useFocusOnAdded } from '../focus.ts';
import { Icon } from '../icon.tsx';
import { Time } from '../time.tsx';
import type { usePages } from '../use-query.ts';
import { sizeOf } from './figures.tsx';
import { FileActions, useFileDownload } from './file-actions.tsx';
import { addressOfDirectory, addressOfFile, joinPath } from './paths.ts';

interface Place {
  identifier: string;
  directory: string;
  dialogs: Dialogs;
  onChanged(): Promise<unknown>;
}

type Pages = Pick<ReturnType<typeof usePages<ServerFile>>, 'isBusy' | 'loadMore'>;

type Props = Place & { files: readonly ServerFile[]; pages: Pages };

export function FileTable({ files, pages: { isBusy, loadMore }, ...place }: Props) {
  const { list, expectMore } = useFocusOnAdded<HTMLTableSectionElement>(files.length);
  const [order, setOrder] = useState<Order>(byName);
  const showMore = () => {
    if (isBusy) return;
    expectMore();
    void loadMore?.();
  };
  // A part of a directory has no largest or newest file.
  const sorted = loadMore ? files : files.toSorted(comparisonOf(order));
  return (
    <>
      <div class="panel">
        <table class="counts files" aria-label="Files">
          <thead>
            <tr>
              {columns.map((column) => (
                <ColumnHead key={column.by} {...{ column, order }} onSort={loadMore ? null : setOrder} />
              ))}
              <th>
                <span class="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody ref={list}>
            {sorted.map((file) => (
              <FileRow key={file.name} file={file} {...place} />
            ))}
          </tbody>
        </table>
      </div>
      {loadMore && (
        <button type="button" class="button" aria-disabled={isBusy} onClick={showMore}>
          Show more files
        </button>
      )}
    </>
  );
}

interface Order {
  by: 'name' | 'bytes' | 'modified_at';
  isDescending: boolean;
}

const byName: Order = { by: 'name', isDescending: false };

/** Sizes and dates begin with the largest and the latest. */
const columns = [
  { ...byName, label: 'Name' },
  { by: 'bytes', isDescending: true, label: 'Size' },
  { by: 'modified_at', isDescending: true, label: 'Changed' },
] as const;

type Column = (typeof columns)[number];

/** Directories stay first. */
const comparisonOf =
  ({ by, isDescending }: Order) =>
  (one: ServerFile, other: ServerFile) =>
    rankOf(one) - rankOf(other) ||
    (one[by] < other[by] ? -1 : Number(one[by] > other[by])) * (isDescending ? -1 : 1);

const rankOf = ({ type }: ServerFile) => (type === 'directory' ? 0 : 1);

type HeadProps = { column: Column; order: Order; onSort: ((order: Order) => void) | null };

function ColumnHead({ column: { label, by, isDescending }, order, onSort }: HeadProps) {
  if (!onSort) return <th scope="col">{label}</th>;
  const isCurrent = order.by === by;
  const sort = () => onSort({ by, isDescending: isCurrent ? !order.isDescending : isDescending });
  const direction = order.isDescending ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={isCurrent ? direction : undefined}>
      <button type="button" class="link" onClick={sort}>
        {label}
      </button>
      {isCurrent && <span aria-hidden="true">{order.isDescending ? ' ↓' : ' ↑'}</span>}
    </th>
  );
}

function FileRow({ file, ...place }: Place & { file: ServerFile }) {
  const { identifier, directory, dialogs, onChanged } = place;
  const path = joinPath(directory, file.name);
  const { download } = useFileDownload({ identifier, path });
  return (
    <tr tabIndex={-1}>
      <th scope="row">
        <FileName type={file.type} name={file.name} address={addressOf(file.type, identifier, path)} />
      </th>
      <td>{file.type === 'file' ? sizeOf(file.bytes) : <Kind of={file.type} />}</td>
      <td>
        <Time iso={file.modified_at} isRelative />
      </td>
      <td>
        <FileActions
          {...{ identifier, path, dialogs }}
          type={file.type}
          onDownload={file.type === 'file' && download}
          onMoved={onChanged}
          onDeleted={onChanged}
        />
      </td>
    </tr>
  );
}

/** An icon already shows a directory. */
const Kind = ({ of: type }: { of: string }) =>
  type === 'directory' ? <span class="visually-hidden">directory</span> : (words[type] ?? type);

const words: Record<string, string> = { other: 'pipe, device or socket' };

/** Only files and directories have a page; a symbolic link has none. */
function addressOf(type: string, identifier: string, path: string): string | undefined {
  if (type === 'directory') return addressOfDirectory(identifier, path);
  return type === 'file' ? addressOfFile(identifier, path) : undefined;
}

type NameProps = { type: string; name: string; address: string | undefined };

const FileName = ({ type, name, address }: NameProps) => (
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
