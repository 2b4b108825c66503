/** A form submitted by script, once at a time; its failure is shown above the buttons, or at the field that it is about. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { MainButton } from './controls.tsx';
import { useDraft } from './draft.ts';
import { type Problems, ProblemsContext } from './field.tsx';
import { present, useInvalidField } from './focus.ts';
import { Icon } from './icon.tsx';
import { type Action, useAction } from './shell.ts';

interface SubmissionProps {
  /** What else is wrong with what is filled in, which is then not sent. */
  check?: ((values: FormData) => Problems) | undefined;
  send(values: FormData, form: HTMLFormElement): Promise<void>;
  /** Names the draft that keeps what is typed until it is sent or canceled. */
  draft?: string | undefined;
  onInput?: () => void;
}

export interface FormProps extends SubmissionProps {
  /** Text of the submit button. */
  label: string;
  isDangerous?: boolean;
  /** Whose password it takes, as password managers read it. */
  username?: string;
  onCancel?: () => void;
  children?: ComponentChildren;
}

export function Form({ label, isDangerous = false, username, onCancel, children, ...props }: FormProps) {
  const { action, problems, dropDraft, ...form } = useSubmission(props);
  const cancel = () => {
    dropDraft();
    onCancel?.();
  };
  return (
    <form {...form} class="form" method="post" noValidate>
      {username && (
        <input name="username" type="text" autocomplete="username" value={username} readOnly hidden />
      )}
      <ProblemsContext.Provider value={problems}>{children}</ProblemsContext.Provider>
      <FailureNotice of={action} />
      <div class="form-actions">
        {onCancel && (
          <button type="button" class="button" onClick={cancel}>
            Cancel
          </button>
        )}
        <MainButton type="submit" label={label} isDangerous={isDangerous} isBusy={action.isBusy} />
      </div>
    </form>
  );
}

/** A failure that stands at a field is that of the field until something is typed, and not of the form. */
function useSubmission({ check, send, draft: name, onInput }: SubmissionProps) {
  const { container: ref, onSubmitted } = useInvalidField<HTMLFormElement>();
  const draft = useDraft(ref, name);
  const action = useAction();
  const [found, setFound] = useState<Problems | null>(null);
  const { field: path = '', failure } = action;
  const field = [path, path.split('.')[0]].find((name) => name && ref.current?.elements.namedItem(name));
  return {
    ref,
    action: field ? { ...action, failure: null } : action,
    problems: found ?? (field && failure ? { [field]: failure } : {}),
    dropDraft: draft.drop,
    async onSubmit(event: SubmitEvent & { currentTarget: HTMLFormElement }) {
      event.preventDefault();
      if (action.isBusy) return;
      const form = event.currentTarget;
      const values = new FormData(form);
      const problems = { ...missingIn(form, values), ...check?.(values) };
      const isRight = Object.values(problems).every((problem) => problem === undefined);
      setFound(isRight ? null : problems);
      onSubmitted();
      if (!isRight) return;
      if (await action.run(() => send(values, form), form)) draft.drop();
      else onSubmitted();
    },
    onInput() {
      draft.keep();
      setFound({});
      onInput?.();
    },
  };
}

/** What fields say that are empty, and choices of which none is ticked. */
const missingIn = (form: HTMLFormElement, values: FormData): Problems =>
  Object.fromEntries(
    [...form.querySelectorAll('[data-missing]' as 'input')]
      .filter(({ name }) => trimmedOf(values, name) === '')
      .map(({ name, dataset }) => [name, dataset['missing']]),
  );

/** Where an action shows why it failed. */
export const FailureNotice = ({ of: { failure } }: { of: Pick<Action, 'failure'> }) => (
  <div role="alert">{failure && <Problem text={failure} />}</div>
);

/** Why a request failed; it is presented as soon as it is shown. */
function Problem({ text }: { text: string }) {
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

/** The same without white space around it. */
export const trimmedOf = (values: FormData, name: string): string => textOf(values, name).trim();
