/** A link that opens the form of a new key filled in: `/account/keys/new?name=&scopes=&servers=&expires_in_days=`. */
import type { KeyList, Server } from '../api.ts';
import { Warning } from '../view.tsx';

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

interface NoticeProps {
  link: KeyLink;
  keys: Pick<KeyList, 'grantable_scopes' | 'max_days'>;
  /** Null until they have arrived. */
  servers: readonly Server[] | null;
}

/** Over the form: that a link has filled it in, and what the link asks for that there is not. */
export function LinkNotice({ link, keys: { grantable_scopes, max_days }, servers }: NoticeProps) {
  const isExpiryWrong = link.expiry !== null && daysOf(link, max_days) === null;
  const within = max_days === null ? '' : `, as keys end within ${max_days} days here`;
  const leftOut: [sentence: string, names: string[]][] = [
    [
      'The link also asks for scopes that are not offered to you:',
      link.scopes.filter((name) => !grantable_scopes.some(({ scope }) => scope === name)),
    ],
    [
      'The link also asks for servers that you do not have:',
      link.servers.filter((id) => servers && !servers.some((server) => isNamed(server, id))),
    ],
    [`The link asks for an expiry that there is not${within}:`, isExpiryWrong ? [link.expiry ?? ''] : []],
  ];
  return (
    <>
      <Warning>
        A link has filled in this form. Create the key only if you know who gave you the link, and agree with
        what the key may do.
      </Warning>
      {leftOut.map(
        ([sentence, names]) =>
          names.length > 0 && (
            <div key={sentence}>
              <p class="note">{sentence}</p>
              <ul class="tags">
                {names.map((name) => (
                  <li key={name} dir="auto">
                    <code>{name}</code>
                  </li>
                ))}
              </ul>
            </div>
          ),
      )}
    </>
  );
}
