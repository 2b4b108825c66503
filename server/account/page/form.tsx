/** A form submitted by script, once at a time; its failure is shown above the buttons. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { focus } from './focus.ts';
import { Icon } from './icon.tsx';
import type { Action } from './shell.ts';

export interface FormProps {
  /** Text of the submit button. */
  label: string;
  isDangerous?: boolean;
  action: Action;
  onSubmit(values: FormData, form: HTMLFormElement): void;
  onInput?: () => void;
  onCancel?: () => void;
  children?: ComponentChildren;
}

export function Form({
  label,
  isDangerous = false,
  action,
  onSubmit,
  onInput,
  onCancel,
  children,
}: FormProps) {
  const { form, onSubmitted } = useInvalidFocus();
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    if (action.isBusy) return;
    onSubmit(new FormData(event.currentTarget), event.currentTarget);
    onSubmitted();
  };
  return (
    <form ref={form} class="form" method="post" noValidate onSubmit={submit} onInput={onInput}>
      {children}
      <div role="alert">{action.failure && <Problem text={action.failure} />}</div>
      <div class="form-actions">
        {onCancel && (
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button
          type="submit"
          class={isDangerous ? 'button is-danger' : 'button is-primary'}
          aria-disabled={action.isBusy}
          data-busy={action.isBusy}
        >
          <span class="button-label">{label}</span>
          {action.isBusy && <span class="spinner" aria-hidden="true" />}
        </button>
      </div>
    </form>
  );
}

/** After each submission, the first field that was found invalid has the focus. */
function useInvalidFocus() {
  const form = useRef<HTMLFormElement>(null);
  const [submissions, setSubmissions] = useState(0);
  useEffect(() => focus(form.current?.querySelector('[aria-invalid="true"]')), [submissions]);
  return { form, onSubmitted: () => setSubmissions((count) => count + 1) };
}

export const Problem = ({ text }: { text: string }) => (
  <p class="notice is-danger">
    <Icon name="alert" />
    {text}
  </p>
);

/** The text of a field; empty when there is none. */
export const textOf = (values: FormData, name: string): string => String(values.get(name) ?? '');
