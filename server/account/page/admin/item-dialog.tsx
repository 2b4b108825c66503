/** A form as data, over what several may change: who would overwrite what the page did not show is told, and chooses. */
import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { type Api, EditConflict, type Version } from '../api.ts';
import { scrollable } from '../code.tsx';
import { FormDialog, useClose, useDialog } from '../dialog.tsx';
import { useDrafts } from '../draft.ts';
import type { Problems } from '../field.tsx';
import { type Fields, type Given, textOf } from '../fields.tsx';
import type { FormRequest } from '../requests.ts';

/** Reads one as it is now. @param version is filled in, and goes with the write */
export type Read<Item> = (api: Api, version: Version) => Promise<Item>;

/** What is written over. */
type ItemVersion<Item> = { current: Item; context: Version };

/**
 * As it is now, for a write that is refused where it changes once more.
 * @param seen as the page showed it, as JSON
 * @throws ChangedMeanwhile where it is another now
 */
async function readIfUnchanged<Item>(api: Api, read: Read<Item>, seen: string): Promise<ItemVersion<Item>> {
  const context: Version = {};
  const current = await read(api, context);
  if (JSON.stringify(current) !== seen) throw new EditConflict(current);
  return { current, context };
}

/** The same for an action without a form: what is shown is read again, so that the user decides by what is there now. */
export async function readUnchanged<Item>(
  api: Api,
  { shown, read, onChanged }: { shown: Item; read: Read<Item>; onChanged(): Promise<unknown> },
): Promise<ItemVersion<Item>> {
  try {
    return await readIfUnchanged(api, read, JSON.stringify(shown));
  } catch (failure) {
    await onChanged();
    throw failure;
  }
}

interface Props<Item, Request extends FormRequest, Shown extends Fields> {
  request: Request;
  /** What there is, as the page shows it; null: the item is new. */
  opened: Item;
  read: Read<Item>;
  title(item: Item): ComponentChildren;
  /** Of the button. */
  label: string;
  draft?: string;
  fields: Shown;
  check?(values: FormData): Problems;
  /** What the form is filled with, where it is not the item itself. */
  valuesOf?(item: Item): object | null | undefined;
  /** @returns what the user is told */
  save(api: Api, given: Given<Request, Shown>, over: ItemVersion<Item>): Promise<ComponentChildren>;
  onChanged(): Promise<unknown>;
}

export function ItemDialog<
  Item extends object | null,
  Request extends FormRequest,
  const Shown extends Fields,
>(props: Props<Item, Request, Shown>) {
  const { request, title, label, draft, fields, check, valuesOf = (item) => item } = props;
  const { item, dialog, send } = useShared(props);
  const seen = JSON.stringify(item);
  const values = { ...valuesOf(item) };
  return (
    <Fragment key={seen}>
      <FormDialog title={title(item)} item={values} {...{ request, label, draft, fields, check, send }}>
        {/* Kept with the draft, so that what was typed over another version is known to be. */}
        <input type="hidden" name="seen" defaultValue={seen} />
      </FormDialog>
      {dialog}
    </Fragment>
  );
}

/** What the form is filled with, and how it is sent. */
function useShared<Item, Request extends FormRequest, Shown extends Fields>(
  props: Props<Item, Request, Shown>,
) {
  const { read, draft } = props;
  const [item, setItem] = useState(props.opened);
  const drafts = useDrafts();
  const closeForm = useClose();
  const { dialog, confirm, close } = useDialog();
  const save = async (api: Api, given: Given<Request, Shown>, seen: string) => {
    const done = await props.save(api, given, await readIfUnchanged(api, read, seen));
    await props.onChanged();
    return done;
  };
  const load = (current: Item) => {
    close();
    drafts.drop(draft);
    setItem(current);
  };
  const ask = (given: Given<Request, Shown>, seen: string, current: Item) =>
    confirm({
      ...conflict,
      more: <Changes from={JSON.parse(seen)} to={current} onLoad={() => load(current)} />,
      async act(api) {
        const done = await save(api, given, JSON.stringify(current));
        drafts.drop(draft);
        closeForm();
        return done;
      },
    });
  const send = async (api: Api, given: Given<Request, Shown>, values: FormData) => {
    const seen = textOf(values, 'seen');
    try {
      return await save(api, given, seen);
    } catch (failure) {
      if (failure instanceof EditConflict) ask(given, seen, failure.current as Item); // of `readSeen`
      throw failure;
    }
  };
  return { item, dialog, send };
}

const conflict = {
  title: 'Changed by somebody else meanwhile',
  text: 'It was changed since you opened it. What you have filled in is not saved.',
  verb: 'Overwrite it',
  isDangerous: true,
};

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
