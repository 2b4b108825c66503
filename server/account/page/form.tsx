/**
 * A form submitted by script, one request at a time. Its failure is shown above the buttons, or at the field it
 * concerns.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { MainButton } from './controls.tsx';
import { useDraft } from './draft.ts';
import { type Problems, ProblemsContext, RequestContext } from './field.tsx';
import { type Fields, FormFields, type Given, readFields, trimmedOf, type Values } from './fields.tsx';
import { focusAndReveal, useInvalidField } from './focus.ts';
import { Icon } from './icon.tsx';
import { boundsOf, type FormRequest, matchesBounds } from './requests.ts';
import { type Action, useAction } from './shell.ts';

interface SubmissionProps<Request extends FormRequest, Shown extends Fields> {
  request?: Request | undefined;
  fields?: Shown | undefined;
  /** Further problems with the input, which is then not sent. */
  check?: ((values: FormData) => Problems) | undefined;
  send(given: Given<Request, Shown>, filled: { values: FormData; form: HTMLFormElement }): Promise<void>;
  /** The name of the draft, which keeps the input until it is sent or canceled. */
  draft?: string | undefined;
  onInput?: () => void;
}

export interface FormProps<Request extends FormRequest, Shown extends Fields>
  extends SubmissionProps<Request, Shown> {
  item?: Values | undefined;
  label: string;
  isDangerous?: boolean;
  /** The account of the password, for password managers. */
  username?: string;
  onCancel?: () => void;
  /** Buttons before the main one. A submit button with a name adds its value to the form's. */
  more?: ComponentChildren;
  children?: ComponentChildren;
}

export function Form<Request extends FormRequest, const Shown extends Fields>({
  label,
  isDangerous = false,
  username,
  onCancel,
  item,
  more,
  children,
  ...props
}: FormProps<Request, Shown>) {
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
      <RequestContext.Provider value={props.request}>
        <ProblemsContext.Provider value={problems}>
          {children}
          <FormFields of={props.fields ?? []} values={item} />
        </ProblemsContext.Provider>
      </RequestContext.Provider>
      <FailureNotice of={action} />
      <div class="form-actions">
        {onCancel && (
          <button type="button" class="button" onClick={cancel}>
            Cancel
          </button>
        )}
        {more}
        <MainButton type="submit" label={label} isDangerous={isDangerous} isBusy={action.isBusy} />
      </div>
    </form>
  );
}

/** A failure at a field stays there until the user types, and is not shown for the form. */
function useSubmission<Request extends FormRequest, Shown extends Fields>(
  props: SubmissionProps<Request, Shown>,
) {
  const { container: ref, onSubmitted } = useInvalidField<HTMLFormElement>();
  const draft = useDraft(ref, props.draft);
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
      const values = new FormData(form, event.submitter);
      const problems = { ...problemsIn(form, props.request), ...props.check?.(values) };
      const isRight = Object.values(problems).every((problem) => problem === undefined);
      setFound(isRight ? null : problems);
      onSubmitted();
      if (!isRight) return;
      if (await action.run(() => sendFields(props, { values, form }), form)) draft.drop();
      else onSubmitted();
    },
    onInput() {
      draft.keep();
      setFound({});
      props.onInput?.();
    },
  };
}

function sendFields<Request extends FormRequest, Shown extends Fields>(
  { fields, request, send }: SubmissionProps<Request, Shown>,
  filled: { values: FormData; form: HTMLFormElement },
): Promise<void> {
  const given = readFields(fields ?? [], filled.values, request);
  return send(given as Given<Request, Shown>, filled); // the fields define its type
}

/** Finds empty fields, choices without a tick, and texts that the request's schema refuses. */
function problemsIn(form: HTMLFormElement, request: FormRequest | undefined): Problems {
  const values = new FormData(form);
  const problemOf = ({ name, dataset, validity }: HTMLInputElement) => {
    const text = trimmedOf(values, name);
    // A number that the browser cannot read has no text either.
    if (text === '') return (validity.badInput ? dataset['wrong'] : undefined) ?? dataset['missing'];
    const isRight = validity.valid && (!request || matchesBounds(text, boundsOf(request, name)));
    return isRight ? undefined : dataset['wrong'];
  };
  const checkedFields = form.querySelectorAll('[data-missing], [data-wrong]' as 'input');
  return Object.fromEntries([...checkedFields].map((field) => [field.name, problemOf(field)]));
}

export const FailureNotice = ({ of: { failure } }: { of: Pick<Action, 'failure'> }) => (
  <div role="alert">{failure && <Problem text={failure} />}</div>
);

function Problem({ text }: { text: string }) {
  const notice = useRef<HTMLParagraphElement>(null);
  useEffect(() => focusAndReveal(notice.current), [text]);
  return (
    <p ref={notice} class="notice is-danger" tabIndex={-1}>
      <Icon name="alert" />
      {text}
    </p>
  );
}
