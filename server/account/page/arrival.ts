/**
 * Reads the address that opened the page: a sign-in link, the end of a single sign-on, an app's request, or a new key.
 * A sign-in that ends at another address, at the identity provider or by a link, keeps where to go afterwards.
 */
import { minuteMs } from '../../../models/support/durations.ts';
import { hashOf } from './keys/key-link.tsx';
import { currentAddress } from './route.ts';
import { type Kind, tryStorage } from './storage.ts';

export type Arrival = { is: 'plain' } | { is: 'link'; token: string } | { is: 'callback'; query: string };

const connectPath = '/account/connect';
const request = { name: 'gamehost-request', lifetimeMs: 10 * minuteMs };
const destination = { name: 'destination', lifetimeMs: 15 * minuteMs };
const nowhereElse = '/account';

/** Read once and removed from the address, so that neither the history nor a copied address contains the secret. */
export function takeArrival(): Arrival {
  const { pathname, search, hash } = location;
  if (pathname === '/account/keys/new') history.replaceState(null, '', `/account${hashOf(location)}`);
  const requestId = readRequestId(location);
  if (requestId) keepForSignIn(request, requestId);
  if (/^\/account\/link(?!\w)/.test(pathname)) return restoreAddress({ is: 'link', token: hash.slice(1) });
  if (pathname === '/account/callback' && search.length > 1)
    return restoreAddress({ is: 'callback', query: search });
  return { is: 'plain' };
}

/** Goes back to the app's request that waits for a sign-in, or to where a link led before. */
function restoreAddress(arrival: Arrival): Arrival {
  const requestId = recallForSignIn(request);
  const address = takeDestination();
  history.replaceState(null, '', requestId === null ? address : `${connectPath}#${requestId}`);
  return arrival;
}

export function readRequestId({ pathname, hash }: Location): string | null {
  return pathname === connectPath ? hash.slice(1) : null;
}

export const forgetRequest = (id: string): void => forgetForSignIn(request, id);

export function keepDestination(): void {
  takeDestination();
  const address = currentAddress();
  if (address !== nowhereElse) keepForSignIn(destination, address);
}

export function takeDestination(): string {
  const address = recallForSignIn(destination);
  if (address === null) return nowhereElse;
  forgetForSignIn(destination, address);
  return address;
}

const kinds = ['sessionStorage', 'localStorage'] as const;

type Slot = { name: string; lifetimeMs: number };

/**
 * For a sign-in that ends at another address. The tab's own value takes precedence. A link opens in a new tab, which
 * uses the value of any tab.
 */
function keepForSignIn({ name, lifetimeMs }: Slot, value: string): void {
  const kept = JSON.stringify({ value, until: Date.now() + lifetimeMs });
  for (const kind of kinds) tryStorage(kind, (storage) => storage.setItem(name, kept));
}

/** Null where nothing was kept, or it has expired. */
const recallForSignIn = (slot: Slot): string | null =>
  kinds.map((kind) => readKept(kind, slot)).find(Boolean) ?? null;

/** Keeps a different value that another tab may have stored. */
function forgetForSignIn(slot: Slot, value: string): void {
  for (const kind of kinds)
    if (readKept(kind, slot) === value) tryStorage(kind, (storage) => storage.removeItem(slot.name));
}

const readKept = (kind: Kind, { name }: Slot) =>
  tryStorage(kind, (storage): string | null => {
    const { value, until } = JSON.parse(storage.getItem(name) ?? '{}');
    return typeof value === 'string' && Number(until) > Date.now() ? value : null;
  });
