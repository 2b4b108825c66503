/** Reads from the service: on demand, repeatedly at a chosen pace, and at once or a page at a time. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Api, describeFailure } from './api.ts';
import { useAction, useShell } from './shell.ts';

interface Options<Content> {
  /** Identifies the query: a change reads again, and drops a late response to the previous one. */
  of?: unknown;
  isOn?: boolean;
  /** How often it is read again. If that fails, the user sees it only with `showsEveryFailure`. */
  pace?: (content: Content | null, failure: string | null) => Pace;
  showsEveryFailure?: boolean;
}

export type Query<Content> = ReturnType<typeof useQuery<Content>>;

export function useQuery<Content>(
  read: (api: Api) => Promise<Content>,
  { of, isOn = true, pace = () => null, showsEveryFailure = false }: Options<Content> = {},
) {
  const { api } = useShell();
  const { run, ...action } = useAction();
  const [content, setContent] = useState<Content | null>(null);
  const latest = useRef({ read, of });
  latest.current = { read, of };
  const show = useCallback(
    async (finding: (api: Api) => Promise<Content>) => {
      const asked = latest.current.of;
      const found = await finding(api);
      if (latest.current.of === asked) setContent(found);
    },
    [api],
  );
  const refresh = useCallback(() => show(latest.current.read), [show]);
  const reload = useCallback(() => run(refresh), [refresh]);
  useEffect(() => {
    if (isOn) void reload();
  }, [reload, isOn, of]);
  useOnline(isOn ? reload : null);
  usePolling(showsEveryFailure ? reload : refresh, pace(content, action.failure));
  return {
    ...action,
    content,
    /** Shows the result of another request, or its failure as this query's. */
    load: (finding: (api: Api) => Promise<Content>) => run(() => show(finding)),
    reload,
    /** Reads again within another action, which fails with it. */
    refresh,
  };
}

/** For content that another tab may have changed meanwhile. */
export const onReturn = { pace: (): Pace => 'on return', showsEveryFailure: true };

/** For a list that is loaded a page at a time. */
export interface Page<Item> {
  items: Item[];
  hasMore: boolean;
  /** Whether it is the first page and others follow. */
  isLong?: boolean;
}

/**
 * A reload shows as many items as before.
 * @param read the first page, or the one after an item
 */
export function usePages<Item>(
  read: (api: Api, last?: Item) => Promise<Page<Item>>,
  options: Options<Page<Item>> = {},
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
  const loadMore = () => query.load((api) => add(api, shown.current));
  return { ...query, loadMore: query.content?.hasMore ? loadMore : null };
}

export const itemsIn = <Item>({ items }: Page<Item>): Item[] => items;

export function useServers(options: { isOn?: boolean } = {}) {
  const { content, failure } = useQuery((api) => api.servers.list.query(), options);
  return { servers: content?.servers ?? null, failure };
}

const hiddenMs = 5 * 60_000;

/**
 * Milliseconds from the end of one request to the next; `on return`: only when the page is shown again; null: not now.
 */
type Pace = number | 'on return' | null;

/** @param act reads again what may have failed while offline */
export function useOnline(act: (() => unknown) | null): void {
  useEffect(() => {
    if (!act) return;
    addEventListener('online', act);
    return () => removeEventListener('online', act);
  }, [act]);
}

/**
 * Repeats a request while the page is shown. A hidden page repeats it rarely, and at once when it is shown again.
 * A failure is left to the next attempt, except the end of the session.
 */
function usePolling(poll: () => Promise<unknown>, pace: Pace): void {
  const { onSessionEnd } = useShell();
  const latest = useRef(poll);
  latest.current = poll;
  useEffect(() => {
    if (pace === null) return;
    const next = { timer: 0, isEnded: false };
    const schedule = () => {
      clearTimeout(next.timer);
      if (next.isEnded || pace === 'on return') return;
      next.timer = window.setTimeout(repeat, document.hidden ? hiddenMs : pace);
    };
    const repeat = () =>
      latest
        .current()
        .catch((failure) => describeFailure(failure).isSignedOut && onSessionEnd())
        .finally(schedule);
    const onChange = () => (document.hidden ? schedule() : void repeat());
    schedule();
    document.addEventListener('visibilitychange', onChange);
    return () => {
      next.isEnded = true;
      clearTimeout(next.timer);
      document.removeEventListener('visibilitychange', onChange);
    };
  }, [pace, onSessionEnd]);
}
