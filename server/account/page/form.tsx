/** A form that is sent once at a time, says what is wrong above its buttons, and never goes by way of the address bar. */
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import type { Action } from './shell.ts';

export interface FormProps {
  /** What its button says. */
  label: string;
  isDangerous?: boolean;
  action: Action;
  onSend(values: FormData): void;
  onInput?: () => void;
  onCancel?: () => void;
  children: ComponentChildren;
}

export function Form({ label, isDangerous = false, action, onSend, onInput, onCancel, children }: FormProps) {
  const send = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    if (!action.isBusy) onSend(new FormData(event.currentTarget));
  };
  return (
    <form class="form" method="post" noValidate onSubmit={send} onInput={onInput}>
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

const Problem = ({ text }: { text: string }) => (
  <p class="notice is-danger">
    <Icon name="alert" />
    {text}
  </p>
);

/** The text of a field, or nothing. */
export const textOf = (values: FormData, name: string): string => String(values.get(name) ?? '');
