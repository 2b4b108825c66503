/**
 * The request of an app that waits for its user's decision. Its id is kept in the browser, so that a sign-in at the identity
 * provider or by a link, which comes back to another address, leads to the same request. Another tab may have another one: the
 * tab's own counts first, and a link, which opens in a new tab, leads to the last one of any.
 */

const storageKey = 'gamehost-request';
const lifetimeMs = 10 * 60_000;

export const connectPath = '/account/connect';

/** The id in the address; null at any other address. */
export function readRequestId({ pathname, hash }: Location): string | null {
  return pathname === connectPath ? hash.slice(1) : null;
}

const storages = () => [sessionStorage, localStorage];

export function keepRequest(id: string): void {
  const kept = JSON.stringify({ id, until: Date.now() + lifetimeMs });
  for (const storage of storages()) storage.setItem(storageKey, kept);
}

export function forgetRequest(id: string): void {
  for (const storage of storages()) if (read(storage) === id) storage.removeItem(storageKey);
}

/** Null when none waits. */
export const recallRequest = (): string | null => storages().map(read).find(Boolean) ?? null;

function read(storage: Storage): string | null {
  try {
    const { id, until } = JSON.parse(storage.getItem(storageKey) ?? '{}');
    return typeof id === 'string' && until > Date.now() ? id : null;
  } catch {
    return null;
  }
}
