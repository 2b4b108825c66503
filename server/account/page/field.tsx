/** Labelled fields, each with a hint or its problem below. */
import {
  type ComponentChildren,
  createContext,
  type InputHTMLAttributes,
  type TextareaHTMLAttributes,
  type VNode,
} from 'preact';
import { useContext, useId } from 'preact/hooks';
import { type Bounds, boundsOf, type FormRequest } from './requests.ts';

export type Problems = Partial<Record<string, string | undefined>>;

export const ProblemsContext = createContext<Problems>({});

export const RequestContext = createContext<FormRequest | undefined>(undefined);

const useProblem = (name: string | undefined) => useContext(ProblemsContext)[name ?? ''];

function useBounds(name: string | undefined): Bounds {
  const request = useContext(RequestContext);
  return request && name ? boundsOf(request, name) : {};
}

interface Labels {
  name?: string | undefined;
  label: string;
  hint?: ComponentChildren;
  /** The problem shown if it is empty; left out: the field is optional. */
  missing?: string | undefined;
  /** The problem shown if the request's schema refuses the text; left out: the service reports it. */
  wrong?: string | undefined;
}

export interface InputProps {
  id: string;
  name: string | undefined;
  class: string;
  dir: 'auto';
  'data-missing': string | undefined;
  'data-wrong': string | undefined;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

type FieldProps = Labels & { children: (inputProps: InputProps, bounds: Bounds) => VNode };

export function Field({ name, label, hint, missing, wrong, children }: FieldProps) {
  const id = useId();
  const problem = useProblem(name);
  const bounds = useBounds(name);
  const note = problem ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(
        {
          id,
          name,
          class: 'input',
          dir: 'auto',
          'data-missing': missing ?? (bounds.isRequired ? (wrong ?? 'Fill this in.') : undefined),
          'data-wrong': wrong,
          'aria-invalid': problem !== undefined,
          'aria-describedby': note ? `${id}-note` : undefined,
        },
        bounds,
      )}
      {note && (
        <p id={`${id}-note`} class={problem ? 'note is-danger' : 'note'}>
          {note}
        </p>
      )}
    </div>
  );
}

export type InputFieldProps = Labels & Omit<InputHTMLAttributes, keyof Labels | keyof InputProps>;

/** A password has no maximum length here, because the browser would silently cut a longer one. */
export const InputField = ({ name, label, hint, missing, wrong, ...input }: InputFieldProps) => (
  <Field {...{ name, label, hint, missing, wrong }}>
    {(inputProps, { maxLength, min, max }) => (
      <input
        autocomplete="off"
        {...inputProps}
        {...(input.type !== 'password' && { maxLength })}
        {...(input.type === 'number' && { min, max })}
        // TypeScript cannot determine which of Preact's input types it is.
        {...(input as InputHTMLAttributes)}
      />
    )}
  </Field>
);

export type TextFieldProps = Labels &
  Omit<TextareaHTMLAttributes, keyof Labels | Exclude<keyof InputProps, 'class'>>;

export const TextField = ({ name, label, hint, missing, wrong, ...text }: TextFieldProps) => (
  <Field {...{ name, label, hint, missing, wrong }}>
    {(inputProps, { maxLength }) => <textarea rows={2} {...inputProps} maxLength={maxLength} {...text} />}
  </Field>
);

export interface SelectFieldProps extends Labels {
  value?: string;
  options: readonly { value: string; label: string }[];
  onChoose?: (value: string) => void;
}

export function SelectField({ value, options, onChoose, ...labels }: SelectFieldProps) {
  const choose = ({ currentTarget }: { currentTarget: HTMLSelectElement }) => onChoose?.(currentTarget.value);
  return (
    <Field {...labels}>
      {(inputProps) => (
        // The form renders on `input`, and the old value would undo the choice before `change`.
        // A restored draft fires only `change`.
        <select {...inputProps} value={value} onInput={choose} onChange={choose}>
          {options.map(({ value, label }) => (
            <option key={value} value={value} dir="auto">
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type CheckProps = { name: string; label: string; preset?: boolean };

export const CheckField = ({ name, label, preset = false }: CheckProps) => (
  <label class="check">
    <input type="checkbox" name={name} defaultChecked={preset} />
    {label}
  </label>
);

export interface ChoicesProps {
  legend: string;
  name: string;
  type?: 'checkbox' | 'radio';
  choices: readonly { value: string | number; content: ComponentChildren }[];
  /** The problem shown if none is ticked; left out: the choice is optional. */
  missing?: string | undefined;
  preset?: readonly unknown[];
  /** The ticked values, if its component decides them. */
  chosen?: readonly unknown[];
  /** Cards that fill in fields of the same name, which hold the choice. */
  isShortcut?: boolean;
}

/** Checkboxes or radio buttons. A problem with the choice is attached to the first of them. */
export function Choices({ legend, name, type = 'checkbox', choices, missing, ...props }: ChoicesProps) {
  const id = useId();
  const problem = useProblem(name);
  const { preset, chosen, isShortcut } = props;
  return (
    <fieldset class="field" name={name} data-missing={missing}>
      <legend>{legend}</legend>
      {problem && (
        <p id={`${id}-note`} class="note is-danger">
          {problem}
        </p>
      )}
      <div class={isShortcut ? 'choices tiles' : 'choices'}>
        {choices.map(({ value, content }, index) => (
          <label class="choice" key={value}>
            <input
              type={type}
              name={isShortcut ? `${name}_shortcut` : name}
              value={value}
              defaultChecked={preset?.includes(value)}
              checked={chosen?.includes(value)}
              {...(problem && index === 0 && { 'aria-invalid': true, 'aria-describedby': `${id}-note` })}
            />
            <span>{content}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
