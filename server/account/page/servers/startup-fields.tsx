/** The fields of a server's startup: its image and its variables, each shown by its kind. */
import { useState } from 'preact/hooks';
import type { Startup, StartupVariable } from '../api.ts';
import { InputField, type InputFieldProps, SelectField } from '../field.tsx';

interface StartupField extends Pick<StartupVariable, 'kind' | 'min' | 'max' | 'is_editable'> {
  /** Its path in the API, as messages name it. */
  name: string;
  label: string;
  hint: string;
  value: string;
  options: readonly { value: string; label: string }[];
}

export const fieldsOf = ({ image, images, can_change_image, variables }: Startup): StartupField[] => [
  {
    ...{ name: 'image', label: 'Image', value: image, kind: 'choice', min: null, max: null },
    hint: 'The system that the game runs in, such as a version of Java.',
    options: images.map(({ name, image }) => ({ value: image, label: name })),
    is_editable: can_change_image,
  },
  ...variables.map(({ name, title, description, value, options, kind, min, max, is_editable }) => ({
    ...{ kind, min, max, is_editable, name: `variables.${name}`, label: title || name },
    ...{ hint: description, value: value ?? '' },
    options: (options ?? []).map((each) => ({ value: each, label: each })),
  })),
];

export const isSecret = ({ name, label }: StartupField) =>
  /passw|secret|token|[_ ]key\b/i.test(`${name} ${label}`);

interface Props {
  field: StartupField;
  /** Undefined until the user changes it. */
  typed: string | undefined;
  onType(text: string): void;
}

export function StartupInput({ field, typed, onType }: Props) {
  const { kind, min, max, is_editable, options, ...labels } = field;
  const shown = { ...labels, value: typed ?? field.value };
  const input = {
    ...shown,
    ...(!is_editable && { disabled: true, hint: `${field.hint} Only your host can change this.` }),
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onType(currentTarget.value),
  };
  if (kind === 'boolean') {
    const checked = ['1', 'true'].includes(input.value);
    const onInput = () => onType(checked ? '0' : '1');
    return <InputField {...input} type="checkbox" {...{ checked, onInput }} />;
  }
  if (kind === 'choice' && is_editable) {
    // A value that is not among them stays until the user chooses another.
    const others = options.some(({ value }) => value === field.value)
      ? []
      : [{ value: field.value, label: field.value || 'None' }];
    return <SelectField {...shown} options={[...others, ...options]} onChoose={onType} />;
  }
  if (kind === 'integer' || kind === 'number') {
    const bounds = { ...(min !== null && { min }), ...(max !== null && { max }) };
    // A number that is as it was may stay, whatever it is.
    const wrong = shown.value === field.value ? undefined : `Enter ${numberWithin(field)}.`;
    const step = kind === 'integer' ? 1 : 'any';
    return <InputField {...input} {...bounds} {...{ wrong, step }} type="number" />;
  }
  if (isSecret(field)) return <SecretInput {...input} />;
  return <InputField {...plain} {...input} {...(max !== null && { maxLength: max })} />;
}

const numberWithin = ({ kind, min, max }: StartupField) => {
  const bounds = [min !== null && `at least ${min}`, max !== null && `at most ${max}`].filter(Boolean);
  const number = kind === 'integer' ? 'a whole number' : 'a number';
  return bounds.length > 0 ? `${number} of ${bounds.join(' and ')}` : number;
};

const plain = { autocapitalize: 'none', spellcheck: false } as const;

/** As for a new password, so that the browser does not fill in the user's own one. */
function SecretInput({ hint, ...input }: InputFieldProps) {
  const [isShown, setShown] = useState(false);
  const reveal = (
    <button type="button" class="link" onClick={() => setShown(!isShown)}>
      {isShown ? 'Hide' : 'Show'} value<span class="visually-hidden"> of {input.label}</span>
    </button>
  );
  const type = isShown ? 'text' : 'password';
  return (
    <InputField {...plain} {...input} {...{ type }} autocomplete="new-password" hint={[hint, ' ', reveal]} />
  );
}
