/** A list of what administrators manage: read a page at a time, an item in each row, and a dialog that adds one. */
import type { ComponentChildren, ComponentProps, VNode } from 'preact';
import type { Api } from '../api.ts';
import { ActionButton } from '../controls.tsx';
import { type Question, useDialog } from '../dialog.tsx';
import { useFocusAfterChange } from '../focus.ts';
import { ListView } from '../list-view.tsx';
import { itemsIn, type Page, usePages } from '../use-query.ts';
import { type BlankProps, CreateButton, View } from '../view.tsx';

/** What an item does in the place where it is shown. */
export type Opener = Omit<ReturnType<typeof useOpener>, 'dialog'>;

/** @param onChanged shows what is there now */
export function useOpener(onChanged: () => Promise<unknown>) {
  const { dialog, show, confirm } = useDialog();
  /** Asks, acts, shows what is there then, and tells what was done. */
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

/** The buttons of an item; what is false is not offered. */
export const Actions = ({ of: actions }: { of: (ComponentProps<typeof ActionButton> | false)[] }) =>
  actions.map((action) => action && <ActionButton key={action.label} {...action} />);

interface Props<Item> {
  title: string;
  lede: string;
  /** Above the list, such as a search. */
  bar?: ComponentChildren;
  read(api: Api, last?: Item): Promise<Page<Item>>;
  /** What is read, where that may change. */
  of?: unknown;
  /** Of the list. */
  label: string;
  /** Of the button for the next page. */
  more?: string;
  /** What gets the focus where the change of the list has lost it. */
  findFocus?: () => Element | null;
  create?: { label: string; first: string; dialog(items: Item[], onChanged: Opener['onChanged']): VNode };
  /** Where there is none. */
  blank: BlankProps;
  /** With its key. */
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
