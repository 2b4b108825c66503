/** The request of an app that waits for its user's decision, also during a sign-in that ends at another address. */
import { forgetForSignIn, keepForSignIn, recallForSignIn } from '../storage.ts';

const name = 'gamehost-request';
const lifetimeMs = 10 * 60_000;

export const connectPath = '/account/connect';

/** The id in the address; null at any other address. */
export function readRequestId({ pathname, hash }: Location): string | null {
  return pathname === connectPath ? hash.slice(1) : null;
}

export const keepRequest = (id: string): void => keepForSignIn(name, id, lifetimeMs);

export const forgetRequest = (id: string): void => forgetForSignIn(name, id);

/** Null when none waits. */
export const recallRequest = (): string | null => recallForSignIn(name);
