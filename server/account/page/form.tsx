/** A form submitted by script, once at a time; its failure is shown above the buttons, or at the field that it is about. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { MainButton } from './button.tsx';
import { useDraft } from './draft.ts';
import { InputField, type InputFieldProps } from './field.tsx';
import { present, useInvalidField } from './focus.ts';
import { Icon } from './icon.tsx';
import { type Action, useAction, useShell } from './shell.ts';

export interface FormField extends InputFieldProps {
  name: string;
  /** What is said where it is left empty; left out: it may be. */
  missing?: string;
}

/** What is wrong, by the names of fields; undefined: nothing. */
export type Problems = Partial<Record<string, string | undefined>>;

export interface FormProps {
  /** Text of the submit button. */
  label: string;
  isDangerous?: boolean;
  isSignIn?: boolean;
  fields?: readonly FormField[];
  /** Further fields, below, that have a place for what the service says of them, by their names in the API. */
  places?: readonly string[];
  /** What else is wrong with what is filled in, which is then not sent. */
  check?(values: FormData): Problems;
  send(values: FormData, form: HTMLFormElement): Promise<void>;
  /** Whose password it takes, as password managers read it. */
  username?: string;
  /** Names the draft that keeps what is typed until it is sent or canceled. */
  draft?: string | undefined;
  /** How many fields have arrived later than the form. */
  fieldCount?: number;
  onInput?: () => void;
  onCancel?: () => void;
  children?: (problems: Problems) => ComponentChildren;
}

export function Form({ label, isDangerous = false, fields = [], username, children, ...props }: FormProps) {
  const { action, problems, drop, ...form } = useSubmission({ fields, ...props });
  const cancel = () => {
    drop();
    props.onCancel?.();
  };
  return (
    <form {...form} class="form" method="post" noValidate>
      {username && (
        <input name="username" type="text" autocomplete="username" value={username} readOnly hidden />
      )}
      {fields.map(({ missing, ...field }) => (
        <InputField key={field.name} {...field} error={problems[field.name]} />
      ))}
      {children?.(problems)}
      <FailureNotice of={action} />
      <div class="form-actions">
        {props.onCancel && (
          <button type="button" class="button" onClick={cancel}>
            Cancel
          </button>
        )}
        <MainButton type="submit" label={label} isDangerous={isDangerous} isBusy={action.isBusy} />
      </div>
    </form>
  );
}

type SubmissionProps = Omit<FormProps, 'label' | 'isDangerous' | 'username' | 'children'>;

/** A failure that stands at a field is that of the field until something is typed, and not of the form. */
function useSubmission({
  fields = [],
  places = [],
  check,
  send,
  isSignIn = false,
  ...props
}: SubmissionProps) {
  const { container: ref, onSubmitted } = useInvalidField<HTMLFormElement>();
  const { draft: name, fieldCount = 0 } = props;
  const draft = useDraft(ref, { userId: useShell().userId, name, fieldCount });
  const action = useAction({ isSignIn });
  const [found, setFound] = useState<Problems | null>(null);
  const field = [...fields.map(({ name }) => name), ...places].find((name) => name === action.field);
  const refused = field && action.failure ? { [field]: action.failure } : {};
  return {
    ref,
    action: field ? { ...action, failure: null } : action,
    problems: found ?? refused,
    drop: draft.drop,
    async onSubmit(event: SubmitEvent & { currentTarget: HTMLFormElement }) {
      event.preventDefault();
      if (action.isBusy) return;
      const form = event.currentTarget;
      const values = new FormData(form);
      const problems = { ...missingOf(fields, values), ...check?.(values) };
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
      props.onInput?.();
    },
  };
}

const missingOf = (fields: readonly FormField[], values: FormData): Problems =>
  Object.fromEntries(
    fields.map(({ name, type, missing }) => {
      const text = type === 'password' ? textOf(values, name) : trimmedOf(values, name);
      return [name, text === '' ? missing : undefined];
    }),
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
