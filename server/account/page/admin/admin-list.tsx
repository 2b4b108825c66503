/** A list of what administrators manage: read a page at a time, an item in each row, and a dialog that adds one. */
import type { ComponentChildren, ComponentProps, VNode } from 'preact';
import type { Api } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { type Question, useDialog } from '../dialog.tsx';
import { useKeptFocus } from '../focus.ts';
import { PagedList, ResourceView } from '../resource-view.tsx';
import { type Page, usePages } from '../use-pages.ts';
import { Blank, CreateButton, View } from '../view.tsx';

/** What an item does in the place where it is shown. */
export interface Opener {
  show(dialog: VNode): void;
  /** Asks, acts, shows what is there then, and tells what was done. */
  ask(question: Omit<Question, 'act'> & { act(api: Api): Promise<unknown>; done: ComponentChildren }): void;
  /** Shows what is there now. */
  onChanged(): Promise<unknown>;
}

export function useOpener(onChanged: Opener['onChanged']): Opener & { dialog: ComponentChildren } {
  const { dialog, show, confirm } = useDialog();
  const ask: Opener['ask'] = ({ act, done, ...question }) =>
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

/** The buttons of an item; what is false is not offered. */
export const Actions = ({ of: actions }: { of: (ComponentProps<typeof ActionButton> | false)[] }) =>
  actions.map((action) => action && <ActionButton key={action.label} {...action} />);

interface Props<Item> extends Pick<ComponentProps<typeof View>, 'lede'> {
  title: string;
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
  blank: ComponentProps<typeof Blank>;
  /** With its key. */
  children(item: Item, opener: Opener): VNode;
}

export function AdminList<Item>({
  title,
  lede,
  bar,
  read,
  of,
  create,
  blank,
  children,
  ...list
}: Props<Item>) {
  const pages = usePages(read, { of, pace: () => 'on return', isToldOfAll: true });
  const { dialog, ...opener } = useOpener(pages.reload);
  const { content } = pages;
  const { findFocus, label, more } = list;
  useKeptFocus(findFocus && content?.items, findFocus);
  const add = () => content && create && opener.show(create.dialog(content.items, opener.onChanged));
  return (
    <View
      title={title}
      lede={lede}
      action={create && <CreateButton label={create.label} isDisabled={!content} onClick={add} />}
    >
      {bar}
      <ResourceView of={pages}>
        {({ items }) =>
          items.length > 0 ? (
            <PagedList of={pages} class="panel" label={label} more={more}>
              {(item) => children(item, opener)}
            </PagedList>
          ) : (
            <Empty {...{ blank, create }} onCreate={add} />
          )
        }
      </ResourceView>
      {dialog}
    </View>
  );
}

/** In place of the list. */
const Empty = ({ blank, create, onCreate }: Pick<Props<never>, 'blank'> & EmptyProps) => (
  <Blank {...blank}>
    {create && (
      <button type="button" class="button is-primary" onClick={onCreate}>
        {create.first}
      </button>
    )}
  </Blank>
);

interface EmptyProps {
  create: { first: string } | undefined;
  onCreate(): void;
}
