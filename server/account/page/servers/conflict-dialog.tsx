/** Asks what is to become of a text whose file was changed, or deleted, by another since it was opened. */
import { scrollable } from '../code.tsx';
import { ConfirmDialog, useClose } from '../dialog.tsx';
import { named } from '../named.tsx';
import { nameOf } from './paths.ts';

/** What the file holds now; null: it is gone. */
export interface Current {
  content: string | null;
  sha256: string | null;
}

interface Props {
  path: string;
  current: Current;
  /** Saves the text over what is shown, and over nothing else. */
  overwrite(): Promise<unknown>;
  /** Shows what the file then holds, in place of the text; until then nothing may be typed, as it would be lost. */
  showCurrent(): Promise<void>;
}

export function ConflictDialog({ path, current: { content }, overwrite, showCurrent }: Props) {
  const isGone = content === null;
  const save = async () => {
    await overwrite();
    await showCurrent();
    return 'Saved';
  };
  return (
    <ConfirmDialog
      title={isGone ? named`${nameOf(path)} is gone` : named`${nameOf(path)} has changed`}
      verb={isGone ? 'Create it again' : 'Overwrite it'}
      isDangerous={!isGone}
      act={save}
    >
      <p>
        {isGone
          ? 'It was deleted or moved since you opened it. Your text is not saved.'
          : 'It was changed since you opened it, perhaps by the server itself. Your text is not saved. If you overwrite it, the other change is lost, and that cannot be undone.'}
      </p>
      {!isGone && <CurrentText content={content} showCurrent={showCurrent} />}
    </ConfirmDialog>
  );
}

interface TextProps extends Pick<Props, 'showCurrent'> {
  content: string;
}

function CurrentText({ content, showCurrent }: TextProps) {
  const close = useClose();
  const discard = () => {
    close();
    void showCurrent();
  };
  return (
    <>
      <details class="current-text">
        <summary>What it holds now</summary>
        <pre class="console" translate={false} dir="auto" {...scrollable('What it holds now')}>
          {content}
        </pre>
      </details>
      <button type="button" class="button is-small" onClick={discard}>
        Discard my text
      </button>
    </>
  );
}
