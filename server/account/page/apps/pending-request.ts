/**
 * The request of an app that waits for its user's decision. Its id is kept in the browser, so that a sign-in at the identity
 * provider or by a link, which comes back to another address, leads to the same request. Another tab may have another one: the
 * tab's own counts first, and a link, which opens in a new tab, leads to the last one of any.
 */
import { tryStorage } from '../storage.ts';

const storageKey = 'gamehost-request';
const lifetimeMs = 10 * 60_000;

export const connectPath = '/account/connect';

/** The id in the address; null at any other address. */
export function readRequestId({ pathname, hash }: Location): string | null {
  return pathname === connectPath ? hash.slice(1) : null;
}

const kinds = ['sessionStorage', 'localStorage'] as const;

export function keepRequest(id: string): void {
  const kept = JSON.stringify({ id, until: Date.now() + lifetimeMs });
  for (const kind of kinds) tryStorage(kind, (storage) => storage.setItem(storageKey, kept));
}

export function forgetRequest(id: string): void {
  for (const kind of kinds)
    if (read(kind) === id) tryStorage(kind, (storage) => storage.removeItem(storageKey));
}

/** Null when none waits. */
export const recallRequest = (): string | null => kinds.map(read).find(Boolean) ?? null;

const read = (kind: (typeof kinds)[number]) =>
  tryStorage(kind, (storage): string | null => {
    const { id, until } = JSON.parse(storage.getItem(storageKey) ?? '{}');
    return typeof id === 'string' && until > Date.now() ? id : null;
  });
