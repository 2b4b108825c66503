/** Has the server's machine download a file from an address. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { describeFailure } from '../api.ts';
import { FormDialog } from '../dialog.tsx';
import { useShell } from '../shell.ts';
import { withNames } from '../text.tsx';
import { joinPath } from './paths.ts';

interface Props {
  identifier: string;
  directory: string;
  onChanged(): Promise<unknown>;
}

export function FetchFileDialog({ identifier: server_identifier, directory, onChanged }: Props) {
  const { settings } = useShell();
  const { path, setPath, tell, onFailure } = useProgress();
  return (
    <FormDialog
      title="Fetch from an address"
      label="Fetch file"
      request="servers.files.fetch"
      fields={fieldsFor(settings.file_sources)}
      send={async (api, { url, file: name, sha256: hash = '', replace }) => {
        const file = joinPath(directory, name);
        setPath(file);
        try {
          const hashes = hash.length > sha256Length ? { sha512: hash } : { sha256: hash };
          await api.servers.files.fetch.mutate({ server_identifier, url, file, replace, ...hashes });
        } catch (failure) {
          onFailure(failure);
          throw failure;
        }
        await onChanged();
        return tell(withNames`${file} is here`);
      }}
    >
      <p role="status">
        {path && (
          <>
            The server's machine downloads it now, in 20 seconds at most. You can close this: it goes on, and
            the file appears at <code>{path}</code>.
          </>
        )}
      </p>
    </FormDialog>
  );
}

/** The file that is being fetched. A toast shows the result if the user has closed the dialog. */
function useProgress() {
  const { notify, notifyOfFailure } = useShell();
  const [path, setPath] = useState<string | null>(null);
  const isClosed = useRef(false);
  useEffect(
    () => () => {
      isClosed.current = true;
    },
    [],
  );
  return {
    ...{ path, setPath },
    tell(done: ComponentChildren): ComponentChildren {
      if (!isClosed.current) return done;
      notify(done);
      return undefined;
    },
    onFailure(failure: unknown) {
      setPath(null);
      if (isClosed.current) notifyOfFailure(describeFailure(failure).message);
    },
  };
}

const sha256Length = 64;

/** Fills in the name from the address, unless there is one. */
function suggestName({ currentTarget: { value, form } }: { currentTarget: HTMLInputElement }): void {
  const name = form?.elements.namedItem('file');
  if (name instanceof HTMLInputElement) name.value ||= lastPart(value);
}

function lastPart(url: string): string {
  const part = url.split(/[?#]/, 1).join().split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const fieldsFor = (sources: readonly string[]) =>
  [
    {
      name: 'url',
      label: 'Address',
      type: 'url',
      hint: `Begins with https:// and one of ${sources.join(', ')}.`,
      missing: 'Paste the address of the file.',
      spellcheck: false,
      onChange: suggestName,
    },
    {
      name: 'file',
      label: 'Name',
      missing: 'Give it a name.',
      autocapitalize: 'none',
      spellcheck: false,
    },
    {
      name: 'sha256',
      label: 'SHA-256 or SHA-512',
      hint: 'The site shows it beside the download. A file with another one is not kept.',
      missing: 'Paste the hash of the file.',
      autocapitalize: 'none',
      spellcheck: false,
    },
    { name: 'replace', box: 'Replace a file of this name' },
  ] as const;
