/** Edits a text file of a server. Saving never overwrites a change by others that the user has not seen. */
import { useRef, useState } from 'preact/hooks';
import { type Api, codeOf, type FileContent } from '../api.ts';
import { scrollable } from '../code.tsx';
import { type Question, useClose, useDialog } from '../dialog.tsx';
import { useDrafts } from '../draft.ts';
import { textOf } from '../fields.tsx';
import { Form } from '../form.tsx';
import { useShell } from '../shell.ts';
import { withNames } from '../text.tsx';
import { Warning } from '../view.tsx';
import { FileTextField } from './file-text.tsx';
import { draftOf, nameOf } from './paths.ts';

interface Props {
  identifier: string;
  file: FileContent;
  onShow(file: FileContent): Promise<void>;
  onLeave(): void;
}

export function FileEditor({ identifier, file: latest, onShow, onLeave }: Props) {
  // The page may read the file again meanwhile. That must not replace the text that the user is editing.
  const [file] = useState(latest);
  const drafts = useDrafts();
  const [saved, setSaved] = useState(toLines(file.content));
  const [isChanged, setChanged] = useState(false);
  const draft = draftOf(identifier, file.path);
  const show = (current: FileContent) => {
    drafts.drop(draft);
    return onShow(current);
  };
  const { dialog, save } = useSave({ identifier, file, onShow: show });
  const label = isChanged ? 'Text, not saved yet' : 'Text';
  const preset = toLines(file.content);
  const onText = (text: string) => setChanged(text !== saved);
  return (
    <>
      {lineEndOf(file.content) === 'mixed' && (
        <Warning>This file mixes line endings. If you save it here, every line will end in LF.</Warning>
      )}
      <Form
        label="Save"
        draft={draft}
        fields={[<FileTextField key="content" {...{ label, preset, onText }} />]}
        send={async (_, { values, form }) => {
          await save(values, form);
          setSaved(toLines(textOf(values, 'content')));
          setChanged(false);
        }}
        onCancel={onLeave}
      >
        {/* A field, so that a saved draft includes the hash: a later read of the file may return another one. */}
        <input type="hidden" dir="auto" name="sha256" defaultValue={file.sha256 ?? ''} />
      </Form>
      {dialog}
    </>
  );
}

/** Saves only if the file still has the hash in the form. Otherwise asks the user. */
function useSave({ identifier: server_identifier, file, onShow }: Omit<Props, 'onLeave'>) {
  const { path } = file;
  const { api, notify } = useShell();
  const { dialog, confirm } = useDialog();
  const lineEnd = useRef(lineEndOf(file.content));
  const write = async (content: string, if_sha256: string | null) => {
    const encoding = writtenEncodings.find((each) => each === file.encoding) ?? 'utf-8';
    const request = { server_identifier, file: path, content, encoding, if_sha256 };
    return (await api.servers.files.write.mutate(request)).file;
  };
  const askAbout = async (content: string) => {
    const current = await readCurrent(api, { server_identifier, file: path });
    const overwrite = async () => {
      const written = await write(content, current?.sha256 ?? null);
      await onShow({ ...file, ...written, content });
    };
    const discard = () => onShow(current ?? file);
    confirm(conflictOver({ path, current, overwrite, discard }));
  };
  const save = async (values: FormData, form: HTMLFormElement) => {
    const content = withLineEnd(textOf(values, 'content'), lineEnd.current);
    const { sha256 } = await write(content, textOf(values, 'sha256')).catch(async (failure) => {
      if (codeOf(failure) === 'conflict') await askAbout(content);
      throw failure;
    });
    const known = form.elements.namedItem('sha256');
    if (known instanceof HTMLInputElement) known.value = sha256;
    notify('Saved');
  };
  return { dialog, save };
}

/** The encodings that can be written. The page does not edit a file whose encoding is `lossy`. */
const writtenEncodings = ['utf-8', 'utf-16le', 'utf-16be'] as const;

async function readCurrent(api: Api, request: { server_identifier: string; file: string }) {
  try {
    return (await api.servers.files.read.query(request)).file;
  } catch (failure) {
    if (codeOf(failure) === 'not_found') return null;
    throw failure;
  }
}

interface Conflict {
  path: string;
  /** Null if the file is gone. */
  current: FileContent | null;
  /** Saves the text, but only over `current`. */
  overwrite(): Promise<unknown>;
  discard(): Promise<void>;
}

const conflictOver = ({ path, current, overwrite, discard }: Conflict): Question => ({
  ...(current ? changed(nameOf(path)) : gone(nameOf(path))),
  more: current && <CurrentText content={current.content} discard={discard} />,
  async act() {
    await overwrite();
    return 'Saved';
  },
});

const gone = (name: string) => ({
  title: withNames`${name} is gone`,
  text: 'It was deleted or moved after you opened it. Your text is not saved.',
  verb: 'Create it again',
});

const changed = (name: string) => ({
  title: withNames`${name} has changed`,
  text: 'It was changed after you opened it, perhaps by the server itself. Your text is not saved. If you overwrite the file, the other change is lost. This cannot be undone.',
  verb: 'Overwrite it',
  isDangerous: true,
});

function CurrentText({ content, discard }: { content: string; discard(): Promise<void> }) {
  const close = useClose();
  const leave = () => {
    close();
    void discard();
  };
  return (
    <>
      <details class="current-text">
        <summary>Current content</summary>
        <pre class="console" translate={false} dir="auto" {...scrollable('Current content')}>
          {content}
        </pre>
      </details>
      <button type="button" class="button is-small" onClick={leave}>
        Discard my text
      </button>
    </>
  );
}

type LineEnd = '\n' | '\r\n' | 'mixed';

/** A browser's text field has only LF, so the editor remembers the file's line endings for saving. */
function lineEndOf(text: string): LineEnd {
  const lineBreaks = new Set(text.match(/\r\n?|\n/g));
  if (lineBreaks.size === 0) return '\n';
  const [only] = lineBreaks;
  return lineBreaks.size === 1 && (only === '\n' || only === '\r\n') ? only : 'mixed';
}

const toLines = (text: string) => text.replace(/\r\n?/g, '\n');

const withLineEnd = (text: string, lineEnd: LineEnd) =>
  lineEnd === '\r\n' ? toLines(text).replaceAll('\n', '\r\n') : toLines(text);
