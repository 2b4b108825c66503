/** What a query shows: its content, a placeholder until that is there, or why it is not. */
import type { ComponentChildren } from 'preact';
import { useFocusOnAdded } from './focus.ts';
import { useToldFailure } from './shell.ts';
import { KeySkeletons } from './skeleton.tsx';
import type { Pages } from './use-pages.ts';
import type { Query } from './use-query.ts';
import { Failed } from './view.tsx';

interface Props<Content> {
  of: Pick<Query<Content>, 'content' | 'failure' | 'isFinal' | 'reload'>;
  placeholder?: ComponentChildren;
  children(content: Content): ComponentChildren;
}

/** A failure to read again what is shown is told next to it. */
export function ResourceView<Content>({
  of: query,
  placeholder = <KeySkeletons />,
  children,
}: Props<Content>) {
  const { content, failure, isFinal, reload } = query;
  useToldFailure(content === null ? null : failure);
  if (content !== null) return <>{children(content)}</>;
  return failure === null ? placeholder : <Failed message={failure} isFinal={isFinal} onRetry={reload} />;
}

interface PagedListProps<Item> {
  of: Pages<Item>;
  /** Of the list. */
  label: string;
  class?: string;
  /** Of the button for the next page. */
  more: ComponentChildren;
  isSmall?: boolean;
  children(item: Item): ComponentChildren;
}

/** A list with a button that adds the next page, of which the first item gets the focus. */
export function PagedList<Item>({
  of: pages,
  label,
  more,
  isSmall = false,
  children,
  ...list
}: PagedListProps<Item>) {
  const { items = [], hasMore = false } = pages.content ?? {};
  const { list: element, expectMore } = useFocusOnAdded<HTMLUListElement>(items.length);
  const showMore = () => {
    if (pages.isBusy) return;
    expectMore();
    void pages.loadMore();
  };
  return (
    <>
      {items.length > 0 && (
        <ul ref={element} class={list.class} aria-label={label}>
          {items.map(children)}
        </ul>
      )}
      {hasMore && (
        <button
          type="button"
          class={isSmall ? 'button is-small' : 'button'}
          aria-disabled={pages.isBusy}
          onClick={showMore}
        >
          {more}
        </button>
      )}
    </>
  );
}
