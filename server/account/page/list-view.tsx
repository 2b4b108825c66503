/** A list or table from a query, with a blank if it is empty, and buttons to add an entry and to show more. */
import type { ComponentChildren, RefObject } from 'preact';
import { useFocusOnAdded } from './focus.ts';
import type { Query } from './use-query.ts';
import { Blank, type BlankProps, CreateButton, type CreateProps, ResourceView } from './view.tsx';

type ListQuery<Content> = Pick<Query<Content>, 'content' | 'failure' | 'isFinal' | 'isBusy' | 'reload'> & {
  /** Null on the last page. */
  loadMore?: (() => Promise<unknown>) | null;
};

type ListElement = HTMLUListElement & HTMLTableSectionElement;

type Columns = Readonly<Record<string, string | undefined>>;

interface Props<Content, Entry> {
  query: ListQuery<Content>;
  items(content: Content): readonly Entry[];
  label: string;
  item(entry: Entry, content: Content): ComponentChildren;
  /** Replaces an empty list; a text is shown as a short note. */
  blank: string | BlankProps;
  create?: CreateProps | false | undefined;
  /** Label of the button for the next page, whose first entry gets the focus. */
  more?: ComponentChildren;
  isInner?: boolean;
  /** The heads of a table's columns, a class for each. Its entries are rows. */
  columns?: Columns;
  placeholder?: ComponentChildren;
  children?(content: Content): ComponentChildren;
}

export function ListView<Content, Entry>({ query, items, label, item, ...props }: Props<Content, Entry>) {
  const { content, isBusy, loadMore } = query;
  const count = content === null ? 0 : items(content).length;
  const { list, expectMore } = useFocusOnAdded<ListElement>(count);
  const showMore = () => {
    if (isBusy) return;
    expectMore();
    void loadMore?.();
  };
  return (
    <ResourceView of={query} placeholder={props.placeholder}>
      {(content) => (
        <>
          {count === 0 ? (
            <NoEntries blank={props.blank} create={props.create} />
          ) : (
            <Entries {...{ list, label }} isInner={props.isInner} columns={props.columns}>
              {items(content).map((entry) => item(entry, content))}
            </Entries>
          )}
          {loadMore && (
            <button
              type="button"
              class={props.isInner ? 'button is-small' : 'button'}
              aria-disabled={isBusy}
              onClick={showMore}
            >
              {props.more}
            </button>
          )}
          {props.children?.(content)}
        </>
      )}
    </ResourceView>
  );
}

interface EntriesProps extends Pick<Props<never, never>, 'label'> {
  list: RefObject<ListElement | null>;
  isInner: boolean | undefined;
  columns: Columns | undefined;
  children: ComponentChildren;
}

const Entries = ({ list, label, isInner, columns, children }: EntriesProps) =>
  columns ? (
    <div class="panel">
      <table class="counts log">
        <caption class="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {Object.entries(columns).map(([name, className]) => (
              <th key={name} scope="col" class={className}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={list}>{children}</tbody>
      </table>
    </div>
  ) : (
    <ul ref={list} class={isInner ? undefined : 'panel'} aria-label={label}>
      {children}
    </ul>
  );

const NoEntries = ({ blank, create }: Pick<Props<never, never>, 'blank' | 'create'>) =>
  typeof blank === 'string' ? (
    <p class="note">{blank}</p>
  ) : (
    <Blank {...blank}>
      {blank.children}
      {create && <CreateButton {...create} />}
    </Blank>
  );
