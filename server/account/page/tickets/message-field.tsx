/** The field for a message or a note; Ctrl+Enter sends it. */
import { Field } from '../field.tsx';
import { textOf } from '../form.tsx';

interface Props {
  label: string;
  error: string | undefined;
  isNote?: boolean;
}

const sendByKey = (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
};

export const MessageField = ({ label, error, isNote = false }: Props) => (
  <Field label={label} hint="Ctrl+Enter sends it." error={error}>
    {(inputProps) => (
      <textarea
        {...inputProps}
        class={isNote ? 'input message-input is-note' : 'input message-input'}
        name="message"
        dir="auto"
        rows={5}
        maxLength={isNote ? 4000 : 10_000}
        onKeyDown={sendByKey}
      />
    )}
  </Field>
);

/** What is wrong with the message of a form; undefined: nothing. */
export const messageProblemOf = (values: FormData, missing = 'Write a message.'): string | undefined =>
  textOf(values, 'message').trim() === '' ? missing : undefined;
