/** A form submitted by script, once at a time; its failure is shown above the buttons. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useDraft } from './draft.ts';
import { present, useInvalidField } from './focus.ts';
import { Icon } from './icon.tsx';
import { type Action, useShell } from './shell.ts';

export interface FormProps {
  /** Text of the submit button. */
  label: string;
  isDangerous?: boolean;
  action: Action;
  /** Returns what the action's `run` does, where it came so far. */
  onSubmit(values: FormData, form: HTMLFormElement): Promise<boolean> | undefined;
  /** Names the draft that keeps what is typed until it is sent or canceled. */
  draft?: string;
  /** How many fields have arrived later than the form. */
  fieldCount?: number;
  onInput?: () => void;
  onCancel?: () => void;
  children?: ComponentChildren;
}

export function Form({
  label,
  isDangerous = false,
  action,
  onSubmit,
  draft: draftName,
  fieldCount = 0,
  onInput,
  onCancel,
  children,
}: FormProps) {
  const { container, onSubmitted } = useInvalidField<HTMLFormElement>();
  const draft = useDraft(container, { userId: useShell().userId, name: draftName, fieldCount });
  const submit = async (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    if (action.isBusy) return;
    const sending = onSubmit(new FormData(event.currentTarget), event.currentTarget);
    onSubmitted();
    if (await sending) draft.drop();
    else onSubmitted();
  };
  const input = () => {
    draft.keep();
    onInput?.();
  };
  const cancel = () => {
    draft.drop();
    onCancel?.();
  };
  return (
    <form ref={container} class="form" method="post" noValidate onSubmit={submit} onInput={input}>
      {children}
      <div role="alert">{action.failure && <Problem text={action.failure} />}</div>
      <FormActions {...{ label, isDangerous, isBusy: action.isBusy, onCancel: onCancel && cancel }} />
    </form>
  );
}

interface ActionsProps extends Pick<FormProps, 'label' | 'isDangerous'> {
  isBusy: boolean;
  onCancel: (() => void) | undefined;
}

const FormActions = ({ label, isDangerous, isBusy, onCancel }: ActionsProps) => (
  <div class="form-actions">
    {onCancel && (
      <button type="button" class="button" onClick={onCancel}>
        Cancel
      </button>
    )}
    <button
      type="submit"
      class={isDangerous ? 'button is-danger' : 'button is-primary'}
      aria-disabled={isBusy}
      data-busy={isBusy}
    >
      <span class="button-label">{label}</span>
      {isBusy && <span class="spinner" aria-hidden="true" />}
    </button>
  </div>
);

/** Why a request failed; it is presented as soon as it is shown. */
export function Problem({ text }: { text: string }) {
  const notice = useRef<HTMLParagraphElement>(null);
  useEffect(() => present(notice.current), [text]);
  return (
    <p ref={notice} class="notice is-danger" tabIndex={-1}>
      <Icon name="alert" />
      {text}
    </p>
  );
}

/** The text of a field; empty when there is none. */
export const textOf = (values: FormData, name: string): string => String(values.get(name) ?? '');
