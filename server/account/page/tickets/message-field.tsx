/** The field for a message. */
import { Field } from '../field.tsx';
import { textOf } from '../form.tsx';

interface Props {
  label: string;
  error: string | undefined;
}

export const MessageField = ({ label, error }: Props) => (
  <Field label={label} error={error}>
    {(inputProps) => (
      <textarea {...inputProps} class="input message-input" name="message" rows={5} maxLength={10_000} />
    )}
  </Field>
);

/** What is wrong with the message of a form; undefined: nothing. */
export const messageProblemOf = (values: FormData): string | undefined =>
  textOf(values, 'message').trim() === '' ? 'Write a message.' : undefined;
