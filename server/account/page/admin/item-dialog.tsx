/** A form for an item that several people may change. It asks before it overwrites a change that the user has not seen. */
import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { type Api, EditConflict, type Version } from '../api.ts';
import { scrollable } from '../code.tsx';
import { FormDialog, useClose, useDialog } from '../dialog.tsx';
import { useDrafts } from '../draft.ts';
import type { Problems } from '../field.tsx';
import { type Fields, type Given, textOf } from '../fields.tsx';
import type { FormRequest } from '../requests.ts';

/** @param version filled in by the read, for the write that follows */
export type Read<Item> = (api: Api, version: Version) => Promise<Item>;

type ItemVersion<Item> = { current: Item; context: Version };

/**
 * Reads the item before a write. The service refuses the write if the item changes in between.
 * @param seen the item that the page showed, as JSON
 * @throws EditConflict if the item has changed
 */
async function readIfUnchanged<Item>(api: Api, read: Read<Item>, seen: string): Promise<ItemVersion<Item>> {
  const context: Version = {};
  const current = await read(api, context);
  if (JSON.stringify(current) !== seen) throw new EditConflict(current);
  return { current, context };
}

/**
 * Like `readIfUnchanged`, for an action without a form. If the item has changed, the page shows the current one, so
 * that the user can decide again.
 */
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
  opened: Item;
  read: Read<Item>;
  title(item: Item): ComponentChildren;
  label: string;
  draft?: string;
  fields: Shown;
  check?(values: FormData): Problems;
  /** The values that fill the form, if not the item itself. */
  valuesOf?(item: Item): object | null | undefined;
  /** Other submit buttons; `save` finds the pressed one among the values. */
  more?: ComponentChildren;
  /** @returns the message to the user */
  save(
    api: Api,
    given: Given<Request, Shown>,
    over: ItemVersion<Item> & { values: FormData },
  ): Promise<ComponentChildren>;
  onChanged(): Promise<unknown>;
}

export function ItemDialog<
  Item extends object | null,
  Request extends FormRequest,
  const Shown extends Fields,
>(props: Props<Item, Request, Shown>) {
  const { request, title, label, draft, fields, check, more, valuesOf = (item) => item } = props;
  const { item, dialog, send } = useItemForm(props);
  const seen = JSON.stringify(item);
  const values = { ...valuesOf(item) };
  return (
    <Fragment key={seen}>
      <FormDialog title={title(item)} item={values} {...{ request, label, draft, fields, check, more, send }}>
        {/* A field, so that a saved draft also records which version of the item it changes. */}
        <input type="hidden" name="seen" defaultValue={seen} />
      </FormDialog>
      {dialog}
    </Fragment>
  );
}

type Filled<Request extends FormRequest, Shown extends Fields> = {
  given: Given<Request, Shown>;
  values: FormData;
};

function useItemForm<Item, Request extends FormRequest, Shown extends Fields>(
  props: Props<Item, Request, Shown>,
) {
  const { read, draft } = props;
  const [item, setItem] = useState(props.opened);
  const drafts = useDrafts();
  const closeForm = useClose();
  const { dialog, confirm, close } = useDialog();
  const save = async (api: Api, { given, values }: Filled<Request, Shown>, seen: string) => {
    const done = await props.save(api, given, { ...(await readIfUnchanged(api, read, seen)), values });
    await props.onChanged();
    return done;
  };
  const load = (current: Item) => {
    close();
    drafts.drop(draft);
    setItem(current);
  };
  const ask = (filled: Filled<Request, Shown>, seen: string, current: Item) =>
    confirm({
      ...conflict,
      more: <Changes from={JSON.parse(seen)} to={current} onLoad={() => load(current)} />,
      async act(api) {
        const done = await save(api, filled, JSON.stringify(current));
        drafts.drop(draft);
        closeForm();
        return done;
      },
    });
  const send = async (api: Api, given: Given<Request, Shown>, values: FormData) => {
    const seen = textOf(values, 'seen');
    try {
      return await save(api, { given, values }, seen);
    } catch (failure) {
      if (failure instanceof EditConflict) ask({ given, values }, seen, failure.current as Item); // `readIfUnchanged` throws it with the item
      throw failure;
    }
  };
  return { item, dialog, send };
}

const conflict = {
  title: 'Changed by someone else meanwhile',
  text: 'It was changed after you opened it. Your changes are not saved.',
  verb: 'Overwrite it',
  isDangerous: true,
};

const Changes = (props: { from: Record<string, unknown>; to: unknown; onLoad(): void }) => (
  <>
    <pre class="console" translate={false} dir="auto" {...scrollable('Current values')}>
      {changesOf(props.from, props.to)}
    </pre>
    <button type="button" class="button is-small" onClick={props.onLoad}>
      Discard mine and load theirs
    </button>
  </>
);

const changesOf = (seen: Record<string, unknown>, current: unknown): string =>
  Object.entries(current as Record<string, unknown>) // every resource of the API is an object
    .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(seen[field]))
    .map(([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
