/** A server's files: a directory, or the file that the address names. */

import { FileList } from './file-list.tsx';
import { FileView } from './file-view.tsx';
import type { PartProps } from './part.ts';
import { addressOfDirectory, nameOf, pathsTo } from './paths.ts';

export function FilesPart({ server, query }: PartProps) {
  const file = query.get('file');
  const directory = query.get('directory') ?? '/';
  const { identifier } = server;
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

/** Where one is, with links to what is above. */
function Crumbs({ identifier, path }: { identifier: string; path: string }) {
  const above = pathsTo(path);
  return (
    <nav aria-label="Path">
      <ol class="crumbs">
        {above.map((each) => (
          <li key={each}>
            {each === path ? (
              <Name path={each} isCurrent />
            ) : (
              <a href={addressOfDirectory(identifier, each)}>
                <Name path={each} />
              </a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

const Name = ({ path, isCurrent = false }: { path: string; isCurrent?: boolean }) => (
  <bdi translate={path === '/'} aria-current={isCurrent ? 'page' : undefined}>
    {nameOf(path) || 'Files'}
  </bdi>
);
