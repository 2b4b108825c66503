/** A list that is read a page at a time. */
import { useRef } from 'preact/hooks';
import type { Api } from './api.ts';
import { type Pace, useQuery } from './use-query.ts';

export interface Page<Item> {
  items: Item[];
  hasMore: boolean;
  /** Whether it is the first page with others after it. */
  isLong?: boolean;
}

interface Options<Item> {
  of?: unknown;
  isOn?: boolean;
  pace?: (page: Page<Item> | null) => Pace;
  isToldOfAll?: boolean;
}

export type Pages<Item> = Omit<ReturnType<typeof usePages<Item>>, 'load'>;

/**
 * Read again, it shows as many as before.
 * @param read the first page, or the one after an item
 */
export function usePages<Item>(
  read: (api: Api, last?: Item) => Promise<Page<Item>>,
  options: Options<Item> = {},
) {
  const { of } = options;
  const shown = useRef<Page<Item> & { of?: unknown }>({ items: [], hasMore: false, of });
  const add = async (api: Api, { items }: Page<Item>): Promise<Page<Item>> => {
    const page = await read(api, items.at(-1));
    return { items: [...items, ...page.items], hasMore: page.hasMore, isLong: true };
  };
  const readShown = async (api: Api) => {
    let page = await read(api);
    const before = shown.current;
    const count = before.of === of ? before.items.length : 0;
    while (page.hasMore && page.items.length < count) page = await add(api, page);
    return page;
  };
  const query = useQuery(readShown, options);
  if (query.content && query.content.items !== shown.current.items) shown.current = { ...query.content, of };
  return { ...query, loadMore: () => query.load((api) => add(api, shown.current)) };
}
