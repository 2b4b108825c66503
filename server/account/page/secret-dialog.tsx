/** Shows a new secret, once. The page keeps it nowhere else. */
import type { ComponentChildren } from 'preact';
import { Code } from './code.tsx';
import { Dialog, useClose } from './dialog.tsx';
import { Warning } from './view.tsx';

interface Props {
  title: ComponentChildren;
  secret: string;
  /** Names it, as in "Copy API key". */
  what: string;
  /** What to do with it, in a sentence or two. */
  advice: string;
  /** How to use it. */
  children: ComponentChildren;
}

export const SecretDialog = ({ title, secret, what, advice, children }: Props) => (
  <Dialog title={title} isKept isWide>
    <Warning>
      <strong>Copy it now: it will not be shown again.</strong> {advice}
    </Warning>
    <Code text={secret} what={what} />
    {children}
    <div class="form-actions">
      <button type="button" class="button is-primary" onClick={useClose()}>
        I have copied it
      </button>
    </div>
  </Dialog>
);
