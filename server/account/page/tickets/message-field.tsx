/** The field for a message or a note; Ctrl+Enter sends it. */
import { Field } from '../field.tsx';
import { trimmedOf } from '../form.tsx';

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
  <Field label={label} hint={isNote ? 'Ctrl+Enter adds it.' : 'Ctrl+Enter sends it.'} error={error}>
    {(inputProps) => (
      <textarea
        {...inputProps}
        class={isNote ? 'input message-input is-note' : 'input message-input'}
        name="message"
        dir="auto"
        rows={5}
        maxLength={10_000}
        onKeyDown={sendByKey}
      />
    )}
  </Field>
);

/** What is wrong with the message of a form. */
export const messageProblems = (values: FormData) => ({
  message: trimmedOf(values, 'message') === '' ? 'Write a message.' : undefined,
});
