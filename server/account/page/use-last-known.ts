/** What the service lists, kept in the browser's tab: while the service is slow or fails, the last that is known is shown. */
import { useRef, useState } from 'preact/hooks';
import type { Api } from './api.ts';
import { useShell } from './shell.ts';
import { ownPrefix, tryStorage } from './storage.ts';
import { useQuery } from './use-query.ts';

/** Changes with the shape of what is kept. */
const version = 1;

const retryMs = 15_000;
const slowMs = 2000;
const oldestMs = 24 * 60 * 60_000;

interface Known<Content> {
  content: Content;
  /** When it was read. */
  at: number;
}

interface Options<Content> {
  /** Names it in the storage. */
  name: string;
  query(api: Api): Promise<Content>;
  /** How often it is read again while nothing fails. */
  everyMs(known: Content | null): number;
}

/** It is read again by itself after a failure, which stays until then. */
export function useLastKnown<Content>({ name, query, everyMs }: Options<Content>) {
  const key = `${ownPrefix}known-${version}:${useShell().userId}:${name}`;
  const [kept] = useState(() => recall<Content>(key));
  const [isSlow, setSlow] = useState(false);
  const read = async (api: Api) => {
    const timer = setTimeout(() => setSlow(true), slowMs);
    try {
      const found: Known<Content> = { content: await query(api), at: Date.now() };
      tryStorage('sessionStorage', (storage) => storage.setItem(key, JSON.stringify(found)));
      return found;
    } finally {
      clearTimeout(timer);
      setSlow(false);
    }
  };
  const {
    content: found,
    isBusy,
    failure,
    isFinal,
    reload,
  } = useQuery(read, {
    pace: (known, failure) => (failure === null ? everyMs((known ?? kept)?.content ?? null) : retryMs),
    isToldOfAll: true,
  });
  const ended = useRef<string | null>(null);
  if (!isBusy) ended.current = failure;
  const { content = null, at = 0 } = found ?? kept ?? {};
  return { content, at, isFresh: found !== null, failure: ended.current, isFinal, isSlow, reload };
}

const recall = <Content>(key: string): Known<Content> | null =>
  tryStorage('sessionStorage', (storage) => {
    const known = JSON.parse(storage.getItem(key) ?? 'null');
    return known?.at > Date.now() - oldestMs ? known : null;
  });
