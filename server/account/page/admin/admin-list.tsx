/** A list that administrators manage: it reads a page at a time, and a dialog adds an item. */
import type { ComponentChildren, ComponentProps, VNode } from 'preact';
import type { Api } from '../api.ts';
import { ActionButton } from '../controls.tsx';
import { type Question, useDialog } from '../dialog.tsx';
import { useFocusAfterChange } from '../focus.ts';
import { ListView } from '../list-view.tsx';
import { itemsIn, type Page, usePages } from '../use-query.ts';
import { type BlankProps, CreateButton, View } from '../view.tsx';

/** Opens dialogs for an item, and reloads the page or list that shows it. */
export type Opener = Omit<ReturnType<typeof useOpener>, 'dialog'>;

export function useOpener(onChanged: () => Promise<unknown>) {
  const { dialog, show, confirm } = useDialog();
  const ask = ({ act, done, ...question }: Asked) =>
    confirm({
      ...question,
      async act(api) {
        await act(api);
        await onChanged();
        return done;
      },
    });
  return { dialog, show, ask, onChanged };
}

type Asked = Omit<Question, 'act'> & { act(api: Api): Promise<unknown>; done: ComponentChildren };

/** The buttons of an item; `false` stands for a button that is not offered. */
export const Actions = ({ of: actions }: { of: (ComponentProps<typeof ActionButton> | false)[] }) =>
  actions.map((action) => action && <ActionButton key={action.label} {...action} />);

interface Props<Item> {
  title: string;
  lede: string;
  bar?: ComponentChildren;
  read(api: Api, last?: Item): Promise<Page<Item>>;
  /** When it changes, the list is read again. */
  of?: unknown;
  label: string;
  more?: string;
  /** Finds the element to focus when the focused one has disappeared from the list. */
  findFocus?: () => Element | null;
  create?: { label: string; first: string; dialog(items: Item[], onChanged: Opener['onChanged']): VNode };
  blank: BlankProps;
  /** Must set a key on the node that it returns. */
  item(item: Item, opener: Opener): VNode;
}

export function AdminList<Item>({ title, lede, bar, read, of, create, item, ...list }: Props<Item>) {
  const pages = usePages(read, { of, pace: () => 'on return', showsEveryFailure: true });
  const { dialog, ...opener } = useOpener(pages.reload);
  const { content } = pages;
  const { findFocus, ...shown } = list;
  useFocusAfterChange(findFocus && content?.items, findFocus);
  const onClick = () => content && create && opener.show(create.dialog(content.items, opener.onChanged));
  return (
    <View
      title={title}
      lede={lede}
      action={create && <CreateButton label={create.label} isDisabled={!content} onClick={onClick} />}
    >
      {bar}
      <ListView
        query={pages}
        items={itemsIn<Item>}
        item={(each) => item(each, opener)}
        create={create && { label: create.first, onClick }}
        {...shown}
      />
      {dialog}
    </View>
  );
}
