/** A link that opens the form of a new key filled in: `/account/keys/new?name=&scopes=&servers=&expires_in_days=`. */
import type { Server } from '../api.ts';

export interface KeyLink {
  name: string;
  scopes: string[];
  /** The only ones that the key is to reach; empty: the link does not say. */
  servers: string[];
  /** As it was sent; null: the link does not say. */
  expiry: string | null;
}

const hashOfLink = '#keys/new';

/** Bounds what a link can make the form show. */
const listedMax = 50;
const lengthMax = 100;

/** The same within the page, where it stays through a sign-in. */
export const hashOf = ({ search }: Pick<Location, 'search'>) => hashOfLink + search;

/** Null where the address is no such link. */
export function readKeyLink({ hash }: Pick<Location, 'hash'>): KeyLink | null {
  const [path, query = ''] = hash.split(/\?(.*)/s);
  if (path !== hashOfLink) return null;
  const values = new URLSearchParams(query);
  const listOf = (name: string) => {
    const items = (values.get(name) ?? '').split(',').map((item) => item.trim().slice(0, lengthMax));
    return [...new Set(items)].filter(Boolean).slice(0, listedMax);
  };
  return {
    name: (values.get('name') ?? '').trim().slice(0, lengthMax),
    scopes: listOf('scopes'),
    servers: listOf('servers'),
    expiry: values.get('expires_in_days')?.slice(0, lengthMax) || null,
  };
}

/** Whether a name in the link is that of a server: its identifier, or its full uuid. */
export const isNamed = ({ identifier, uuid }: Server, name: string): boolean =>
  name === identifier || name === uuid;

/** So that the form does not open again. */
export function leaveKeyLink(): void {
  if (readKeyLink(location)) location.replace('#keys');
}

/**
 * The days after which the link wants the key to end; null: it does not say, or there is no key that ends then.
 * @param maxDays how long a key may live; null: for ever
 */
export function daysOf({ expiry }: KeyLink, maxDays: number | null): number | null {
  const days = /^[1-9]\d{0,3}$/.test(expiry ?? '') ? Number(expiry) : null;
  return days !== null && maxDays !== null && days > maxDays ? null : days;
}
