/** Asks what is to become of a text whose file was changed, or deleted, by another since it was opened. */
import type { FileContent } from '../api.ts';
import { scrollable } from '../code.tsx';
import { ConfirmDialog, useClose } from '../dialog.tsx';
import { named } from '../named.tsx';
import { nameOf } from './paths.ts';

interface Props {
  path: string;
  /** What the file holds now; null: it is gone. */
  current: FileContent | null;
  /** Saves the text over what is shown, and over nothing else. */
  overwrite(): Promise<unknown>;
  /** Shows what the file holds in place of the text. */
  discard(): Promise<void>;
}

export function ConflictDialog({ path, current, overwrite, discard }: Props) {
  const isGone = current === null;
  const save = async () => {
    await overwrite();
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
      {current && <CurrentText content={current.content} discard={discard} />}
    </ConfirmDialog>
  );
}

interface TextProps extends Pick<Props, 'discard'> {
  content: string;
}

function CurrentText({ content, discard }: TextProps) {
  const close = useClose();
  const leave = () => {
    close();
    void discard();
  };
  return (
    <>
      <details class="current-text">
        <summary>What it holds now</summary>
        <pre class="console" translate={false} dir="auto" {...scrollable('What it holds now')}>
          {content}
        </pre>
      </details>
      <button type="button" class="button is-small" onClick={leave}>
        Discard my text
      </button>
    </>
  );
}
