/** Accepts the node addresses that the panel names, except those of services on this machine or in its cloud. */
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isAlwaysForbidden } from '../outbound/addresses.ts';
import { PanelFailure } from './failures.ts';

/** Requires an encrypted address if the panel's own is encrypted: the token must not be readable on the way. */
export function parseNodeAddress(
  text: string,
  panelUrls: readonly string[],
  scheme: 'ws' | 'http' = 'ws',
): URL {
  const address = URL.canParse(text) ? new URL(text) : null;
  const isEncrypted = panelUrls.some((url) => url.startsWith('https:'));
  const protocols = isEncrypted ? [`${scheme}s:`] : [`${scheme}s:`, `${scheme}:`];
  const ip = address?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const isUsable =
    address &&
    protocols.includes(address.protocol) &&
    !address.username &&
    !address.password &&
    !address.hash;
  if (!isUsable || (isIP(ip) && isAlwaysForbidden(ip)))
    throw new PanelFailure('malformed', {
      reason: `the address of a ${scheme === 'ws' ? 'console' : 'file'} is not that of a node`,
    });
  return address;
}

export const lookUpNode: LookupFunction = (hostname, options, done) =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error || !first) return done(error ?? new Error('no address'), '');
    if (addresses.some(({ address }) => isAlwaysForbidden(address)))
      return done(new Error('not the address of a node'), '');
    return options.all ? done(null, addresses) : done(null, first.address, first.family);
  });
