/** The field for a message; Ctrl+Enter sends it. */
import { Field } from '../field.tsx';
import { textOf } from '../form.tsx';

interface Props {
  label: string;
  error: string | undefined;
}

const sendByKey = (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
};

export const MessageField = ({ label, error }: Props) => (
  <Field label={label} hint="Ctrl+Enter sends it." error={error}>
    {(inputProps) => (
      <textarea
        {...inputProps}
        class="input message-input"
        name="message"
        rows={5}
        maxLength={10_000}
        onKeyDown={sendByKey}
      />
    )}
  </Field>
);

/** What is wrong with the message of a form; undefined: nothing. */
export const messageProblemOf = (values: FormData): string | undefined =>
  textOf(values, 'message').trim() === '' ? 'Write a message.' : undefined;
