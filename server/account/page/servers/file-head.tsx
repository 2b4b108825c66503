/** The path of a directory or a file as links, with its actions beside it. */
import type { ComponentChildren } from 'preact';
import { addressOfDirectory, nameOf, pathsTo } from './paths.ts';

type Props = { identifier: string; path: string; children: ComponentChildren };

export const FileHead = ({ identifier, path, children }: Props) => (
  <div class="page-head">
    <nav aria-label="Path">
      <ul class="actions crumbs">
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
      </ul>
    </nav>
    <div class="actions">{children}</div>
  </div>
);
