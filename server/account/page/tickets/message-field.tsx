/** The field for a message. */
import { Field } from '../field.tsx';

export const MessageField = ({ label }: { label: string }) => (
  <Field label={label}>
    {(inputProps) => (
      <textarea {...inputProps} class="input message-input" name="message" rows={5} maxLength={10_000} />
    )}
  </Field>
);
