/** A labelled input with a hint or an error below it. */
import type { ComponentChildren, VNode } from 'preact';
import { useId } from 'preact/hooks';

/** Connects an input to its label and its note. */
interface InputProps {
  id: string;
  class: string;
  dir: 'auto';
  'aria-invalid': boolean;
  'aria-describedby'?: string;
}

interface Props {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  children: (inputProps: InputProps) => VNode;
}

export function Field({ label, hint, error, children }: Props) {
  const id = useId();
  const note = error ?? hint;
  const inputProps = { id, class: 'input', dir: 'auto', 'aria-invalid': error !== undefined } as const;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(note ? { ...inputProps, 'aria-describedby': `${id}-note` } : inputProps)}
      {note && (
        <p id={`${id}-note`} class={error ? 'note is-danger' : 'note'}>
          {note}
        </p>
      )}
    </div>
  );
}
