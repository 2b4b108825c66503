/** A label, what it labels, and under it a hint or what is wrong. */
import type { ComponentChildren, VNode } from 'preact';
import { useId } from 'preact/hooks';

/** What ties an input to its label and its note. */
interface Ties {
  id: string;
  class: string;
  'aria-invalid': boolean;
  'aria-describedby'?: string;
}

interface Props {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  children: (ties: Ties) => VNode;
}

export function Field({ label, hint, error, children }: Props) {
  const id = useId();
  const note = error ?? hint;
  const ties = { id, class: 'input', 'aria-invalid': error !== undefined };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(note ? { ...ties, 'aria-describedby': `${id}-note` } : ties)}
      {note && (
        <p id={`${id}-note`} class={error ? 'note is-danger' : 'note'}>
          {note}
        </p>
      )}
    </div>
  );
}
