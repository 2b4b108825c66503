/** A server's files: the directory or the file that the address names. */
import type { Api, Server, ServerFile } from '../api.ts';
import { useDialog } from '../dialog.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { useShell } from '../shell.ts';
import { usePages } from '../use-query.ts';
import { Blank, ResourceView } from '../view.tsx';
import { NewDirectoryDialog, NewFileDialog } from './file-actions.tsx';
import { FetchFileDialog } from './file-fetch.tsx';
import { FileHead } from './file-head.tsx';
import { FileTable } from './file-table.tsx';
import { FileView } from './file-view.tsx';

export function FilesPart({ server, query }: { server: Server; query: URLSearchParams }) {
  const file = query.get('file');
  const directory = query.get('directory') ?? '/';
  if (file !== null) return <FileView key={file} identifier={server.identifier} path={file} />;
  return <FileList key={directory} server={server} directory={directory} />;
}

type ListProps = { server: Server; directory: string };

function FileList({ server, directory }: ListProps) {
  const { identifier } = server;
  const pages = useFiles(identifier, directory);
  const { dialog, ...dialogs } = useDialog();
  const props = { identifier, directory, onChanged: pages.refresh };
  return (
    <>
      <FileHead identifier={identifier} path={directory}>
        <Button icon="plus" label="Create file" onAct={() => dialogs.show(<NewFileDialog {...props} />)} />
        <Button
          icon="plus"
          label="Create directory"
          onAct={() => dialogs.show(<NewDirectoryDialog {...props} />)}
        />
        {useShell().settings.file_sources.length > 0 && (
          <Button
            icon="download"
            label="Fetch from an address"
            onAct={() => dialogs.show(<FetchFileDialog {...props} />)}
          />
        )}
      </FileHead>
      <ResourceView of={pages}>
        {({ items }) =>
          items.length === 0 ? (
            <Blank title="This directory is empty" text="Create a file or a directory in it." />
          ) : (
            <FileTable pages={pages} files={items} {...{ ...props, dialogs }} />
          )
        }
      </ResourceView>
      {server.panel_url && <UploadLink panelUrl={server.panel_url} />}
      {dialog}
    </>
  );
}

const useFiles = (server_identifier: string, directory: string) =>
  usePages(async (api: Api, last?: ServerFile) => {
    const request = { server_identifier, directory, ...(last && { after: last.name }) };
    const { files, truncated } = await api.servers.files.list.query(request);
    return { items: files, hasMore: truncated };
  });

type ButtonProps = { icon: IconName; label: string; onAct(): void };

const Button = ({ icon, label, onAct }: ButtonProps) => (
  <button type="button" class="button is-small" onClick={onAct}>
    <Icon name={icon} />
    {label}
  </button>
);

const UploadLink = ({ panelUrl }: { panelUrl: string }) => (
  <p>
    <a href={`${panelUrl}/files`} target="_blank" rel="noreferrer">
      Upload files at the panel
    </a>
  </p>
);
