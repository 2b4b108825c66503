/** A labelled input with a hint or an error below it. */
import type { ComponentChildren, InputHTMLAttributes, TextareaHTMLAttributes, VNode } from 'preact';
import { useId } from 'preact/hooks';

/** Connects an input to its label and its note. */
interface InputProps {
  id: string;
  class: string;
  dir: 'auto';
  'aria-invalid': boolean;
  'aria-describedby'?: string;
}

interface Labels {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
}

interface Props extends Labels {
  children: (inputProps: InputProps) => VNode;
}

export function Field({ label, hint, error, children }: Props) {
  const id = useId();
  const note = error ?? hint;
  const inputProps = { id, class: 'input', dir: 'auto', 'aria-invalid': error !== undefined } as const;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(note ? { ...inputProps, 'aria-describedby': `${id}-note` } : inputProps)}
      {note && (
        <p id={`${id}-note`} class={error ? 'note is-danger' : 'note'}>
          {note}
        </p>
      )}
    </div>
  );
}

export type InputFieldProps = Labels & Omit<InputHTMLAttributes, keyof Labels | keyof InputProps>;

/** A field of one line. */
export const InputField = ({ label, hint, error, ...input }: InputFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {/* Of one of Preact's types of inputs, which TypeScript cannot tell by a type that is not known here. */}
    {(inputProps) => <input {...inputProps} {...(input as InputHTMLAttributes)} />}
  </Field>
);

type TextFieldProps = Labels & Omit<TextareaHTMLAttributes, keyof Labels | keyof InputProps>;

/** A field of several lines. */
export const TextField = ({ label, hint, error, ...text }: TextFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(inputProps) => <textarea rows={2} {...inputProps} {...text} />}
  </Field>
);

interface SelectFieldProps extends Labels {
  name?: string;
  value?: string;
  options: readonly { value: string; label: string }[];
  onChoose?: (value: string) => void;
}

export const SelectField = ({ label, hint, error, options, onChoose, ...select }: SelectFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(inputProps) => (
      <select {...inputProps} {...select} onChange={({ currentTarget }) => onChoose?.(currentTarget.value)}>
        {options.map(({ value, label }) => (
          <option key={value} value={value} dir="auto">
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
);

interface ChoicesProps {
  legend: string;
  name: string;
  type?: 'checkbox' | 'radio';
  choices: readonly { value: string | number; content: ComponentChildren }[];
  /** Ticked when it is shown. */
  preset?: readonly unknown[];
  /** Ticked, where no form keeps it. */
  chosen?: readonly unknown[] | undefined;
  onToggle?: ((value: string) => void) | undefined;
  error?: string | undefined;
  /** In place of choices where there are none. */
  empty?: ComponentChildren;
  /** Between the legend and the choices. */
  children?: ComponentChildren;
}

/** Boxes to tick, or of which to choose one. What is wrong with the choice stands at the first of them. */
export function Choices({
  legend,
  name,
  type = 'checkbox',
  choices,
  error,
  children,
  ...props
}: ChoicesProps) {
  const id = useId();
  const { preset, chosen, onToggle, empty } = props;
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      {children}
      {error && (
        <p id={`${id}-note`} class="note is-danger">
          {error}
        </p>
      )}
      <div class="choices">
        {choices.map(({ value, content }, index) => (
          <label class="choice" key={value}>
            <input
              type={type}
              name={name}
              value={value}
              defaultChecked={preset?.includes(value)}
              checked={chosen?.includes(value)}
              {...(error && index === 0 && { 'aria-invalid': true, 'aria-describedby': `${id}-note` })}
              onChange={() => onToggle?.(String(value))}
            />
            <span>{content}</span>
          </label>
        ))}
        {choices.length === 0 && empty}
      </div>
    </fieldset>
  );
}

/** What may be given to a key or an app. */
export const scopeChoices = (scopes: readonly { scope: string; sentence: string }[]) =>
  scopes.map(({ scope, sentence }) => ({
    value: scope,
    content: (
      <>
        <code>{scope}</code>
        <span class="note">{sentence}</span>
      </>
    ),
  }));
