/** A form as data: the fields of what is new, or of what there is, which others may change too. */
import { type ComponentChildren, type ComponentType, Fragment } from 'preact';
import type { Api } from '../api.ts';
import { Choices, InputField, TextField } from '../field.tsx';
import { type Problems, textOf } from '../form.tsx';
import { type Over, type Read, SharedFormDialog } from '../shared-form.tsx';
import type { Opener } from './admin-list.tsx';

interface ItemField {
  /** As the API names it. */
  name: string;
  label: string;
  hint?: string;
  maxLength?: number;
  /** What is said where it is left empty; left out: it may be. */
  missing?: string;
  /** Of a new item. */
  preset?: string;
  /** A text of several lines. */
  rows?: number;
  /** A box to tick, and what it says. */
  box?: string;
  /** What an empty one is; a list has a line for each of its entries. */
  empty?: null | 'list';
}

/** Some are seldom filled in, and folded away. */
export type Fields = readonly (ItemField | { summary: string; note: string; fields: readonly ItemField[] })[];

const fieldsIn = (fields: Fields): readonly ItemField[] =>
  fields.flatMap((each) => ('label' in each ? each : each.fields));

/** What the form holds, as the API takes it. */
const readFields = (fields: Fields, values: FormData) =>
  Object.fromEntries(
    fieldsIn(fields).map(({ name, box, empty = '' }) => {
      const text = textOf(values, name).trim();
      if (box) return [name, values.has(name)];
      if (empty !== 'list') return [name, text || empty];
      const lines = text.split('\n').map((line) => line.trim());
      return [name, lines.filter(Boolean)];
    }),
  );

const missingIn = (fields: Fields, values: FormData): Problems =>
  Object.fromEntries(
    fieldsIn(fields).map(({ name, missing }) => [name, textOf(values, name).trim() ? undefined : missing]),
  );

type Values = Readonly<Record<string, unknown>>;

interface FieldProps {
  field: ItemField;
  item: Values;
  problems: Problems;
  /** The name of the field that gets the focus. */
  first: string | undefined;
}

function OneField({ field, item, problems, first }: FieldProps) {
  const { name, label, hint, maxLength, rows, box, preset = '' } = field;
  const value = item[name] ?? preset;
  if (box) {
    const choices = [{ value: 'yes', content: box }];
    return <Choices legend={label} {...{ name, choices }} preset={value ? ['yes'] : []} />;
  }
  const defaultValue = Array.isArray(value) ? value.join('\n') : String(value);
  const shown = { name, label, hint, maxLength, error: problems[name], defaultValue };
  if (rows) return <TextField {...shown} rows={rows} />;
  return (
    <InputField {...shown} autocomplete="off" spellcheck={!isName.test(name)} autofocus={name === first} />
  );
}

/** What programs read is no word of a language. */
const isName = /^(slug|billingId)$/;

function AllFields({ fields, ...props }: Omit<FieldProps, 'field'> & { fields: Fields }) {
  return fields.map((each) =>
    'label' in each ? (
      <OneField key={each.name} field={each} {...props} />
    ) : (
      <details key={each.summary} class="restrictions">
        <summary>{each.summary}</summary>
        <p class="note">{each.note}</p>
        <AllFields {...props} fields={each.fields} />
      </details>
    ),
  );
}

type Given = ReturnType<typeof readFields>;

interface Props<Item> {
  /** What there is, as the page shows it; undefined: the item is new. */
  opened?: Item | undefined;
  read?: Read<Item> | undefined;
  title(item: Item | null): ComponentChildren;
  /** Of the button. */
  label: string;
  draft: string;
  fields: Fields;
  check?(values: FormData): Problems;
  /** What the form is filled with, where it is not the item itself. */
  valuesOf?(item: Item): object | undefined;
  /** @returns what the user is told */
  save(api: Api, given: Given, over: Over<Item | null>): Promise<ComponentChildren>;
  onChanged: Opener['onChanged'];
  /** Around the fields, such as what shows what is typed. */
  Frame?: ComponentType<{ item: Values; children: ComponentChildren }>;
}

export function ItemDialog<Item extends object>({ opened, read, fields, ...props }: Props<Item>) {
  const { title, label, draft, check, valuesOf = (item) => item, save, onChanged, Frame = Fragment } = props;
  const formOf = (item: Item | null) => ({
    title: title(item),
    children: (problems: Problems) => {
      const values = { ...(item && valuesOf(item)) };
      return (
        <Frame item={values}>
          <AllFields {...{ fields, problems }} item={values} first={fieldsIn(fields)[0]?.name} />
        </Frame>
      );
    },
  });
  return (
    <SharedFormDialog<Item | null>
      {...{ label, draft }}
      opened={opened ?? null}
      read={read ?? (async () => null)}
      places={fieldsIn(fields).map(({ name }) => name)}
      check={(values) => ({ ...missingIn(fields, values), ...check?.(values) })}
      save={async (api, values, over) => {
        const done = await save(api, readFields(fields, values), over);
        await onChanged();
        return done;
      }}
      form={formOf}
    />
  );
}
