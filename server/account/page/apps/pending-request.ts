/**
 * The request of an app that waits for its user's decision. Its id is kept in the browser, so that a sign-in at the identity
 * provider or by a link, which comes back to another address, leads to the same request.
 */
import { tryStorage } from '../storage.ts';

const storageKey = 'gamehost-request';
const lifetimeMs = 10 * 60_000;

export const connectPath = '/account/connect';

/** The id in the address; null at any other address. */
export function readRequestId({ pathname, hash }: Location): string | null {
  return pathname === connectPath ? hash.slice(1) : null;
}

export const keepRequest = (id: string) =>
  tryStorage('localStorage', (storage) =>
    storage.setItem(storageKey, JSON.stringify({ id, until: Date.now() + lifetimeMs })),
  );

export const forgetRequest = () => tryStorage('localStorage', (storage) => storage.removeItem(storageKey));

/** Null when none waits. */
export const recallRequest = (): string | null =>
  tryStorage('localStorage', (storage) => {
    const { id, until } = JSON.parse(storage.getItem(storageKey) ?? '{}');
    return typeof id === 'string' && until > Date.now() ? id : null;
  });
