/** A form's fields as data: how the form shows each one and reads its value. */
import { Fragment, isValidElement, type VNode } from 'preact';
import {
  CheckField,
  Choices,
  type ChoicesProps,
  InputField,
  type InputFieldProps,
  SelectField,
  type SelectFieldProps,
  TextField,
  type TextFieldProps,
} from './field.tsx';
import { type FormRequest, type RequestInput, takesField } from './requests.ts';
import { ScopeField, type ScopeFieldProps } from './scopes.tsx';

interface Named {
  name: string;
}

interface Typed extends Named {
  preset?: string | undefined;
  /** Returns the value to send; left out: the trimmed text. */
  read?: (text: string) => unknown;
}

type LineData = Typed & Omit<InputFieldProps, 'name' | 'rows'> & { rows?: undefined };

type TextData = Typed & Omit<TextFieldProps, 'name' | 'rows'> & { rows: number };

type BoxData = Named & { box: string; label?: string; preset?: boolean };

type SelectData = Named & Omit<SelectFieldProps, 'name' | 'value' | 'onChoose'>;

type ChoicesData = Named & Omit<ChoicesProps, 'name' | 'chosen'>;

type ScopesData = Named & Omit<ScopeFieldProps, 'name'>;

type FieldData = LineData | TextData | BoxData | SelectData | ChoicesData | ScopesData;

interface Group {
  summary: string;
  isOpen?: boolean;
  fields: readonly FieldEntry[];
}

/** An element is a custom field, which its form reads itself. */
type FieldEntry = FieldData | VNode | false | undefined;

export type Fields = readonly (FieldEntry | Group)[];

type NameOf<Each> = Each extends Named ? Each['name'] : never;

type Grouped<Each> = Each extends { fields: readonly (infer Inner)[] } ? Inner : never;

type NamesIn<Of extends Fields> = NameOf<Of[number]> | NameOf<Grouped<Of[number]>>;

/** The values of fields, in the form that their request accepts. */
export type Given<Request extends FormRequest, Of extends Fields> = Pick<
  RequestInput<Request>,
  NamesIn<Of> & keyof RequestInput<Request>
>;

export type Values = Readonly<Record<string, unknown>>;

export const textOf = (values: FormData, name: string): string => String(values.get(name) ?? '');

export const trimmedOf = (values: FormData, name: string): string => textOf(values, name).trim();

const trimmed = (text: string) => text.trim();

export const keepText = (text: string) => text;

export const orNull = (text: string) => trimmed(text) || null;

export const orAbsent = (text: string) => trimmed(text) || undefined;

export const listBy = (separator: RegExp) => (text: string) =>
  text.split(separator).flatMap((part) => trimmed(part) || []);

const isElement = (each: Fields[number]): each is VNode => isValidElement(each);

/** @param request fields that it does not have are left out */
export const readFields = (fields: Fields, values: FormData, request?: FormRequest): Values =>
  Object.assign({}, ...fields.map((field) => readField(field, values, request)));

function readField(field: Fields[number], values: FormData, request?: FormRequest): Values {
  if (!field || isElement(field)) return {};
  if ('fields' in field) return readFields(field.fields, values, request);
  return !request || takesField(request, field.name) ? { [field.name]: givenIn(field, values) } : {};
}

function givenIn(field: FieldData, values: FormData): unknown {
  const { name } = field;
  if ('box' in field) return values.has(name);
  if ('scopes' in field) return values.getAll(name);
  if ('choices' in field) {
    const chosen = values.getAll(name);
    const found = field.choices.map(({ value }) => value).filter((value) => chosen.includes(String(value)));
    return field.type === 'radio' ? found[0] : found;
  }
  const text = textOf(values, name);
  if ('options' in field) return text;
  const { read = trimmed } = field;
  return read(text);
}

interface FormFieldsProps {
  of: Fields;
  values?: Values | undefined;
  /** Prefix of their names, such as `tasks.0.` for an item of a list. */
  within?: string;
}

export const FormFields = ({ of: fields, values = {}, within = '' }: FormFieldsProps): VNode => (
  <>
    {fields.map((field, index) => {
      if (!field) return null;
      if (isElement(field)) return <Fragment key={field.key ?? index}>{field}</Fragment>;
      if (!('fields' in field)) {
        const named = { ...field, name: within + field.name };
        return <OneField key={field.name} field={named} value={values[field.name]} />;
      }
      return (
        <details key={field.summary} class="restrictions" open={field.isOpen}>
          <summary>{field.summary}</summary>
          <FormFields of={field.fields} {...{ values, within }} />
        </details>
      );
    })}
  </>
);

function OneField({ field, value }: { field: FieldData; value: unknown }) {
  if ('choices' in field) return <Choices {...field} />;
  if ('scopes' in field) return <ScopeField {...field} />;
  if ('options' in field) return <SelectField {...field} />;
  if ('box' in field) {
    const { name, box, label, preset } = field;
    const isTicked = Boolean(value ?? preset);
    if (label === undefined) return <CheckField name={name} label={box} preset={isTicked} />;
    const choices = [{ value: 'yes', content: box }];
    return <Choices legend={label} name={name} choices={choices} preset={isTicked ? ['yes'] : []} />;
  }
  const { preset = '', read: _, ...shown } = field;
  const text = value ?? preset;
  const defaultValue = Array.isArray(text) ? text.join('\n') : String(text);
  if (shown.rows === undefined) return <InputField {...shown} defaultValue={defaultValue} />;
  return <TextField {...shown} defaultValue={defaultValue} />;
}
