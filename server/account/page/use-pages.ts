/** A list that is read a page at a time. */
import { useRef } from 'preact/hooks';
import type { Api } from './api.ts';
import type { Pace } from './use-polling.ts';
import { useQuery } from './use-query.ts';

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
  /** What is shown once the first page was read again; left out: that page alone. */
  merge?: (first: Page<Item>, shown: Page<Item>) => Page<Item>;
}

export type Pages<Item> = Omit<ReturnType<typeof usePages<Item>>, 'load'>;

/** @param read the first page, or the one after an item */
export function usePages<Item>(
  read: (api: Api, last?: Item) => Promise<Page<Item>>,
  { merge = (first) => first, ...options }: Options<Item> = {},
) {
  const shown = useRef<Page<Item>>({ items: [], hasMore: false });
  const query = useQuery(async (api) => merge(await read(api), shown.current), options);
  if (query.content) shown.current = query.content;
  const readMore = async (api: Api) => {
    const { items } = shown.current;
    const page = await read(api, items.at(-1));
    return { items: [...items, ...page.items], hasMore: page.hasMore, isLong: true };
  };
  return { ...query, loadMore: () => query.load(readMore) };
}
