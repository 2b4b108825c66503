/** What the service lists, kept in the browser's tab: while the service is slow or fails, the last that is known is shown. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Api, describeFailure } from './api.ts';
import { useShell } from './shell.ts';
import { ownPrefix, tryStorage } from './storage.ts';
import { usePolling } from './use-polling.ts';

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
  const { api, userId, onSessionEnd } = useShell();
  const key = `${ownPrefix}known-${version}:${userId}:${name}`;
  const [known, setKnown] = useState<Known<Content> | null>(() => recall(key));
  const [failure, setFailure] = useState<string | null>(null);
  const [isSlow, setSlow] = useState(false);
  const reload = useCallback(async () => {
    const timer = setTimeout(() => setSlow(true), slowMs);
    try {
      const read = { content: await query(api), at: Date.now() };
      setKnown(read);
      setFailure(null);
      tryStorage('sessionStorage', (storage) => storage.setItem(key, JSON.stringify(read)));
    } catch (thrown) {
      const { isSignedOut, message } = describeFailure(thrown);
      if (isSignedOut) onSessionEnd();
      else setFailure(message);
    } finally {
      clearTimeout(timer);
      setSlow(false);
    }
  }, [api, key, onSessionEnd]);
  useEffect(() => void reload(), [reload]);
  usePolling(reload, failure === null ? everyMs(known?.content ?? null) : retryMs);
  return { content: known?.content ?? null, at: known?.at ?? 0, failure, isSlow, reload };
}

const recall = <Content>(key: string): Known<Content> | null =>
  tryStorage('sessionStorage', (storage) => {
    const known = JSON.parse(storage.getItem(key) ?? 'null');
    return known?.at > Date.now() - oldestMs ? known : null;
  });
