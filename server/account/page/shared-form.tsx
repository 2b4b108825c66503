/** Over what several may change: who would overwrite what the page did not show is told, and chooses. */
import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { type Api, ChangedMeanwhile, type Version } from './api.ts';
import { scrollable } from './code.tsx';
import { FormDialog, type FormDialogProps, useClose, useDialog } from './dialog.tsx';
import { dropDraft } from './draft.ts';
import { textOf } from './form.tsx';
import { useShell } from './shell.ts';

/** Reads one as it is now. @param version is filled in, and goes with the write */
export type Read<Item> = (api: Api, version: Version) => Promise<Item>;

/** What is written over. */
export interface Over<Item> {
  current: Item;
  context: Version;
}

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

interface Props<Item> extends Omit<FormDialogProps, 'title' | 'send' | 'children' | 'fields'> {
  /** As the page shows it. */
  opened: Item;
  read: Read<Item>;
  /** @returns what the user is told */
  save(api: Api, values: FormData, over: Over<Item>): Promise<ComponentChildren>;
  form(item: Item): Pick<FormDialogProps, 'title' | 'children' | 'fields'>;
}

/** What the form is filled with, and how it is sent. */
function useShared<Item>({ opened, read, save, draft: name }: Omit<Props<Item>, 'form'>) {
  const [item, setItem] = useState(opened);
  const { userId } = useShell();
  const closeForm = useClose();
  const { dialog, confirm, close } = useDialog();
  const drop = () => dropDraft({ userId, name });
  const ask = (values: FormData, current: Item) => {
    const load = () => {
      close();
      drop();
      setItem(current);
    };
    confirm({
      title: 'Changed by somebody else meanwhile',
      text: 'It was changed since you opened it. What you have filled in is not saved.',
      more: <Changes from={JSON.parse(textOf(values, 'seen'))} to={current} onLoad={load} />,
      verb: 'Overwrite it',
      isDangerous: true,
      async act(api) {
        const done = await save(api, values, await readSeen(api, read, JSON.stringify(current)));
        drop();
        closeForm();
        return done;
      },
    });
  };
  const send = async (api: Api, values: FormData) => {
    try {
      return await save(api, values, await readSeen(api, read, textOf(values, 'seen')));
    } catch (failure) {
      if (failure instanceof ChangedMeanwhile) ask(values, failure.current as Item); // of `readSeen`
      throw failure;
    }
  };
  return { item, dialog, send };
}

export function SharedFormDialog<Item>({ form, ...shared }: Props<Item>) {
  const { item, dialog, send } = useShared(shared);
  const { opened, read, save, ...props } = shared;
  const { children, ...shown } = form(item);
  const seen = JSON.stringify(item);
  return (
    <Fragment key={seen}>
      <FormDialog {...props} {...shown} send={send}>
        {(problems) => (
          <>
            {/* Kept with the draft, so that what was typed over another version is known to be. */}
            <input type="hidden" name="seen" defaultValue={seen} />
            {children?.(problems)}
          </>
        )}
      </FormDialog>
      {dialog}
    </Fragment>
  );
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
