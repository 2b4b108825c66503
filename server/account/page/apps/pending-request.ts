/**
 * The request of an app that waits for its user's decision. Its id is kept in the browser, so that a sign-in at the identity
 * provider or by a link, which comes back to another address, leads to the same request.
 */

const storageKey = 'gamehost-request';
const lifetimeMs = 10 * 60_000;

export const connectPath = '/account/connect';

/** The id in the address; null at any other address. */
export function readRequestId({ pathname, hash }: Location): string | null {
  return pathname === connectPath ? hash.slice(1) : null;
}

export function keepRequest(id: string): void {
  localStorage.setItem(storageKey, JSON.stringify({ id, until: Date.now() + lifetimeMs }));
}

export const forgetRequest = (): void => localStorage.removeItem(storageKey);

/** Null when none waits. */
export function recallRequest(): string | null {
  try {
    const { id, until } = JSON.parse(localStorage.getItem(storageKey) ?? '{}');
    return typeof id === 'string' && until > Date.now() ? id : null;
  } catch {
    return null;
  }
}
