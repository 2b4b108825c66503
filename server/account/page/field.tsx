/** A label, what it labels, and under it a hint or what is wrong. */
import type { ComponentChildren, VNode } from 'preact';
import { useId } from 'preact/hooks';

/** What ties an input to its label and its note. */
interface Ties {
  id: string;
  class: string;
  'aria-invalid': boolean;
  'aria-describedby': string;
}

interface Props {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  children: (ties: Ties) => VNode;
}

export function Field({ label, hint, error, children }: Props) {
  const id = useId();
  const note = `${id}-note`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, class: 'input', 'aria-invalid': error !== undefined, 'aria-describedby': note })}
      {(error ?? hint) && (
        <p id={note} class={error ? 'note is-danger' : 'note'}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}
