/** A file of a server: its actions, and its text, which can be edited only if all of it was read without loss. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Api, FileContent } from '../api.ts';
import { scrollable } from '../code.tsx';
import { ActionButton, Segments } from '../controls.tsx';
import { useDialog } from '../dialog.tsx';
import { go } from '../route.ts';
import { useQuery } from '../use-query.ts';
import { ResourceView } from '../view.tsx';
import { sizeOf } from './figures.tsx';
import { FileActions, useFileDownload } from './file-actions.tsx';
import { FileEditor } from './file-editor.tsx';
import { FileHead } from './file-head.tsx';
import { addressOfDirectory, addressOfFile, nameOf, parentOf } from './paths.ts';

/** The API's maximum for one request. */
const tailLines = 1000;

type Props = { identifier: string; path: string };

export function FileView({ identifier, path }: Props) {
  const [isTail, setTail] = useState(false);
  const [version, setVersion] = useState(0);
  const request = { server_identifier: identifier, file: path, ...(isTail && { tail: tailLines }) };
  const query = useQuery(async (api: Api) => (await api.servers.files.read.query(request)).file, {
    of: isTail,
  });
  const show = async (shown: FileContent) => {
    await query.load(async () => shown);
    setVersion((last) => last + 1);
  };
  const { dialog, ...dialogs } = useDialog();
  const leave = () => go(addressOfDirectory(identifier, parentOf(path)));
  return (
    <>
      <FileHead identifier={identifier} path={path}>
        <DownloadButton {...{ identifier, path }} />
        <FileActions
          {...{ identifier, path, dialogs }}
          type="file"
          onMoved={(to) => go(addressOfFile(identifier, to))}
          onDeleted={leave}
        />
      </FileHead>
      <ResourceView of={query}>
        {(file) =>
          isTail || file.truncated || file.sha256 === null || file.encoding === 'lossy' ? (
            <ShownFile {...{ file, isTail, onChoose: setTail }} />
          ) : (
            <FileEditor key={version} {...{ identifier, file, onShow: show, onLeave: leave }} />
          )
        }
      </ResourceView>
      {dialog}
    </>
  );
}

function DownloadButton({ identifier, path }: Props) {
  const { isBusy, download } = useFileDownload({ identifier, path });
  const about = nameOf(path);
  return <ActionButton icon="download" label="Download" {...{ about, isBusy }} onAct={download} />;
}

type ShownProps = { file: FileContent; isTail: boolean; onChoose(isTail: boolean): void };

const ends = [
  { name: 'beginning', label: 'Beginning' },
  { name: 'end', label: 'End' },
] as const;

/** Shows a file that cannot be edited here: the page has only a part of it, or some of its bytes are not UTF-8. */
function ShownFile({ file: { bytes, content, encoding, path, truncated }, isTail, onChoose }: ShownProps) {
  const element = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (element.current) element.current.scrollTop = isTail ? element.current.scrollHeight : 0;
  }, [content, isTail]);
  return (
    <>
      {encoding === 'lossy' && (
        <p class="note">Some bytes of this file are not UTF-8, so you can read it here but not edit it.</p>
      )}
      {(isTail || truncated) && (
        <>
          <p class="note">
            Only a part of the file ({sizeOf(bytes)}) is shown. Download it to see all of it.
          </p>
          <Segments
            label="Part of the file"
            segments={ends}
            chosen={isTail ? 'end' : 'beginning'}
            onChoose={(name) => onChoose(name === 'end')}
          />
        </>
      )}
      <pre ref={element} class="console" translate={false} dir="auto" {...scrollable(path)}>
        {content}
      </pre>
    </>
  );
}
