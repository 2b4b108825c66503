/** A link that opens the form for a new key, filled in: `/account/keys/new?name=&scopes=&servers=&expires_in_days=`. */
import type { KeyList, Server } from '../api.ts';
import { Warning } from '../view.tsx';

export interface KeyLink {
  name: string;
  scopes: string[];
  /** The only servers that the key may reach; empty: the link does not restrict them. */
  servers: string[];
  /** As sent; null: the link has none. */
  expiry: string | null;
}

const hashOfLink = '#keys/new';

/** Bounds how much a link can make the form show. */
const listedMax = 50;
const lengthMax = 100;

/** The link as a hash, which stays in the address through a sign-in. */
export const hashOf = ({ search }: Pick<Location, 'search'>) => hashOfLink + search;

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

/** Whether a link's name for a server matches: its identifier, or its full uuid. */
export const isNamed = ({ identifier, uuid }: Server, name: string): boolean =>
  name === identifier || name === uuid;

export function leaveKeyLink(): void {
  if (readKeyLink(location)) location.replace('#keys');
}

/**
 * The days after which the link's key should expire; null: the link has none, or no key can have it.
 * @param maxDays a key's maximum lifetime; null: unlimited
 */
export function daysOf({ expiry }: KeyLink, maxDays: number | null): number | null {
  const days = /^[1-9]\d{0,3}$/.test(expiry ?? '') ? Number(expiry) : null;
  return days !== null && maxDays !== null && days > maxDays ? null : days;
}

interface NoticeProps {
  link: KeyLink;
  keys: Pick<KeyList, 'grantable_scopes' | 'max_days'>;
  servers: readonly Server[] | null;
}

/** States that a link has filled in the form, and what it requests that is not available. */
export function LinkNotice({ link, keys: { grantable_scopes, max_days }, servers }: NoticeProps) {
  const isExpiryWrong = link.expiry !== null && daysOf(link, max_days) === null;
  const within = max_days === null ? '' : `, as keys end within ${max_days} days here`;
  const leftOut: [sentence: string, names: string[]][] = [
    [
      'The link also requests scopes that you cannot grant:',
      link.scopes.filter((name) => !grantable_scopes.some(({ scope }) => scope === name)),
    ],
    [
      'The link also requests servers that you do not have:',
      link.servers.filter((id) => servers && !servers.some((server) => isNamed(server, id))),
    ],
    [`The link requests an expiry that is not available${within}:`, isExpiryWrong ? [link.expiry ?? ''] : []],
  ];
  return (
    <>
      <Warning>
        A link has filled in this form. Create the key only if you know who gave you the link and agree with
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
