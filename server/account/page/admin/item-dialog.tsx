/** A form as data, over what several may change: who would overwrite what the page did not show is told, and chooses. */
import { type ComponentChildren, type ComponentType, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { type Api, ChangedMeanwhile, type Version } from '../api.ts';
import { scrollable } from '../code.tsx';
import { FormDialog, useClose, useDialog } from '../dialog.tsx';
import { useDrafts } from '../draft.ts';
import { Choices, InputField, type InputFieldProps, type Problems, TextField } from '../field.tsx';
import { textOf, trimmedOf } from '../form.tsx';

/** Reads one as it is now. @param version is filled in, and goes with the write */
export type Read<Item> = (api: Api, version: Version) => Promise<Item>;

/** What is written over. */
type Over<Item> = { current: Item; context: Version };

/**
 * As it is now, for a write that is refused where it changes once more.
 * @param seen as the page showed it, as JSON
 * @throws ChangedMeanwhile where it is another now
 */
async function readSeen<Item>(api: Api, read: Read<Item>, seen: string): Promise<Over<Item>> {
  const context: Version = {};
  const current = await read(api, context);
  if (JSON.stringify(current) !== seen) throw new ChangedMeanwhile(current);
  return { current, context };
}

/** The same for an action without a form: what is shown is read again, so that the user decides by what is there now. */
export async function readUnchanged<Item>(
  api: Api,
  { shown, read, onChanged }: { shown: Item; read: Read<Item>; onChanged(): Promise<unknown> },
): Promise<Over<Item>> {
  try {
    return await readSeen(api, read, JSON.stringify(shown));
  } catch (failure) {
    await onChanged();
    throw failure;
  }
}

interface ItemField extends InputFieldProps {
  name: string;
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

/** What the form holds, as the API takes it. */
const readFields = (fields: Fields, values: FormData) =>
  Object.fromEntries(
    fields
      .flatMap((each) => ('fields' in each ? each.fields : each))
      .map(({ name, box, empty = '' }) => {
        const text = trimmedOf(values, name);
        if (box) return [name, values.has(name)];
        if (empty !== 'list') return [name, text || empty];
        const lines = text.split('\n').map((line) => line.trim());
        return [name, lines.filter(Boolean)];
      }),
  );

type Values = Readonly<Record<string, unknown>>;

function OneField({ field, item }: { field: ItemField; item: Values }) {
  const { preset = '', rows, box, empty, ...input } = field;
  const value = item[field.name] ?? preset;
  if (box) {
    const choices = [{ value: 'yes', content: box }];
    return <Choices legend={field.label} name={field.name} choices={choices} preset={value ? ['yes'] : []} />;
  }
  const defaultValue = Array.isArray(value) ? value.join('\n') : String(value);
  if (!rows) return <InputField {...input} defaultValue={defaultValue} />;
  const { name, label, hint, missing, maxLength } = field;
  return <TextField {...{ name, label, hint, missing, maxLength, rows, defaultValue }} />;
}

const AllFields = ({ fields, item }: { fields: Fields; item: Values }) =>
  fields.map((each) =>
    'fields' in each ? (
      <details key={each.summary} class="restrictions">
        <summary>{each.summary}</summary>
        <p class="note">{each.note}</p>
        <AllFields fields={each.fields} item={item} />
      </details>
    ) : (
      <OneField key={each.name} field={each} item={item} />
    ),
  );

interface Props<Item> {
  /** What there is, as the page shows it; null: the item is new. */
  opened: Item;
  read: Read<Item>;
  title(item: Item): ComponentChildren;
  /** Of the button. */
  label: string;
  draft?: string;
  fields: Fields;
  check?(values: FormData): Problems;
  /** What the form is filled with, where it is not the item itself. */
  valuesOf?(item: Item): object | null | undefined;
  /** @returns what the user is told */
  save(api: Api, given: ReturnType<typeof readFields>, over: Over<Item>): Promise<ComponentChildren>;
  onChanged(): Promise<unknown>;
  /** Around the fields, such as what shows what is typed. */
  Frame?: ComponentType<{ item: Values; children: ComponentChildren }>;
}

export function ItemDialog<Item extends object | null>(props: Props<Item>) {
  const { title, label, draft, fields, check, valuesOf = (item) => item, Frame = Fragment } = props;
  const { item, dialog, send } = useShared(props);
  const seen = JSON.stringify(item);
  const values = { ...valuesOf(item) };
  return (
    <Fragment key={seen}>
      <FormDialog title={title(item)} {...{ label, draft, check, send }}>
        {/* Kept with the draft, so that what was typed over another version is known to be. */}
        <input type="hidden" name="seen" defaultValue={seen} />
        <Frame item={values}>
          <AllFields fields={fields} item={values} />
        </Frame>
      </FormDialog>
      {dialog}
    </Fragment>
  );
}

/** What the form is filled with, and how it is sent. */
function useShared<Item>({ opened, read, draft, fields, ...props }: Props<Item>) {
  const [item, setItem] = useState(opened);
  const drafts = useDrafts();
  const closeForm = useClose();
  const { dialog, confirm, close } = useDialog();
  const save = async (api: Api, values: FormData, seen: string) => {
    const done = await props.save(api, readFields(fields, values), await readSeen(api, read, seen));
    await props.onChanged();
    return done;
  };
  const ask = (values: FormData, current: Item) => {
    const load = () => {
      close();
      drafts.drop(draft);
      setItem(current);
    };
    confirm({
      title: 'Changed by somebody else meanwhile',
      text: 'It was changed since you opened it. What you have filled in is not saved.',
      more: <Changes from={JSON.parse(textOf(values, 'seen'))} to={current} onLoad={load} />,
      verb: 'Overwrite it',
      isDangerous: true,
      async act(api) {
        const done = await save(api, values, JSON.stringify(current));
        drafts.drop(draft);
        closeForm();
        return done;
      },
    });
  };
  const send = async (api: Api, values: FormData) => {
    try {
      return await save(api, values, textOf(values, 'seen'));
    } catch (failure) {
      if (failure instanceof ChangedMeanwhile) ask(values, failure.current as Item); // of `readSeen`
      throw failure;
    }
  };
  return { item, dialog, send };
}

const Changes = (props: { from: Record<string, unknown>; to: unknown; onLoad(): void }) => (
  <>
    <pre class="console" translate={false} dir="auto" {...scrollable('What it is now')}>
      {changesOf(props.from, props.to)}
    </pre>
    <button type="button" class="button is-small" onClick={props.onLoad}>
      Discard mine and load theirs
    </button>
  </>
);

/** A line for each field that is another now. */
const changesOf = (seen: Record<string, unknown>, current: unknown): string =>
  Object.entries(current as Record<string, unknown>) // a resource of the API is an object
    .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(seen[field]))
    .map(([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
