/** Changes the text of a file of a server; what others changed meanwhile is never overwritten unseen. */
import { useRef, useState } from 'preact/hooks';
import { type Api, codeOf, type FileContent } from '../api.ts';
import { useDialog } from '../dialog.tsx';
import { dropDraft } from '../draft.ts';
import { Field } from '../field.tsx';
import { Form, textOf } from '../form.tsx';
import { useShell } from '../shell.ts';
import { Warning } from '../view.tsx';
import { conflictOver } from './conflict-dialog.tsx';
import { lineEndOf, toLines, withLineEnd } from './line-ends.ts';
import { draftOf } from './paths.ts';

interface Props {
  /** Of the server. */
  identifier: string;
  file: FileContent;
  /** Shows what the file holds now, in place of the text. */
  onShow(file: FileContent): Promise<void>;
  onLeave(): void;
}

export function FileEditor({ identifier, file, onShow, onLeave }: Props) {
  const { userId } = useShell();
  const [saved, setSaved] = useState(toLines(file.content));
  const [isChanged, setChanged] = useState(false);
  const draft = draftOf(identifier, file.path);
  const show = (current: FileContent) => {
    dropDraft({ userId, name: draft });
    return onShow(current);
  };
  const { dialog, save } = useSave({ identifier, file, show });
  const send = async (values: FormData, form: HTMLFormElement) => {
    await save(values, form);
    setSaved(toLines(textOf(values, 'content')));
    setChanged(false);
  };
  const look = ({ currentTarget: { value } }: { currentTarget: HTMLTextAreaElement }) =>
    setChanged(value !== saved);
  return (
    <>
      {lineEndOf(file.content) === 'mixed' && (
        <Warning>Its lines end in different ways; when it is saved here, all end alike (LF).</Warning>
      )}
      <Form label="Save" draft={draft} send={send} onCancel={onLeave}>
        {() => (
          <>
            {/* Kept with a draft: what it was written over is not known by what is read later. */}
            <input type="hidden" dir="auto" name="sha256" defaultValue={file.sha256 ?? ''} />
            <TextField file={file} isChanged={isChanged} onLook={look} />
          </>
        )}
      </Form>
      {dialog}
    </>
  );
}

interface TextProps extends Pick<Props, 'file'> {
  isChanged: boolean;
  onLook(event: { currentTarget: HTMLTextAreaElement }): void;
}

const TextField = ({ file, isChanged, onLook }: TextProps) => (
  <Field label={isChanged ? 'Text, not saved yet' : 'Text'} hint={hint}>
    {(inputProps) => (
      <textarea
        {...inputProps}
        class="input file-text"
        name="content"
        dir="auto"
        translate={false}
        wrap="off"
        spellcheck={false}
        autocapitalize="none"
        rows={20}
        defaultValue={file.content}
        onInput={onLook}
        onChange={onLook}
        onKeyDown={saveByKey}
      />
    )}
  </Field>
);

const hint = 'Ctrl+S saves it. Servers read most settings when they start.';

const saveByKey = (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => {
  if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
};

interface SaveOptions extends Pick<Props, 'identifier' | 'file'> {
  /** Drops what is typed. */
  show(file: FileContent): Promise<void>;
}

/** Saves only over the content that the form knows; where there is another by now, the user decides. */
function useSave({ identifier: server_identifier, file, show: showFile }: SaveOptions) {
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
      await showFile({ ...file, ...written, content });
    };
    const discard = () => showFile(current ?? file);
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

/** As files can be written; one whose bytes are not all shown is not changed here. */
const writtenEncodings = ['utf-8', 'utf-16le', 'utf-16be'] as const;

/** What a file holds now; null: it is gone. */
async function readCurrent(api: Api, request: { server_identifier: string; file: string }) {
  try {
    return (await api.servers.files.read.query(request)).file;
  } catch (failure) {
    if (codeOf(failure) === 'not_found') return null;
    throw failure;
  }
}
