/** Asks what is to become of a text whose file was changed, or deleted, by another since it was opened. */
import type { FileContent } from '../api.ts';
import { scrollable } from '../code.tsx';
import { type Question, useClose } from '../dialog.tsx';
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

/** What the user is asked. */
export const conflictOver = ({ path, current, overwrite, discard }: Props): Question => ({
  ...(current ? changed(nameOf(path)) : gone(nameOf(path))),
  more: current && <CurrentText content={current.content} discard={discard} />,
  async act() {
    await overwrite();
    return 'Saved';
  },
});

const gone = (name: string) => ({
  title: named`${name} is gone`,
  text: 'It was deleted or moved since you opened it. Your text is not saved.',
  verb: 'Create it again',
});

const changed = (name: string) => ({
  title: named`${name} has changed`,
  text: 'It was changed since you opened it, perhaps by the server itself. Your text is not saved. If you overwrite it, the other change is lost, and that cannot be undone.',
  verb: 'Overwrite it',
  isDangerous: true,
});

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
