/** Which addresses of nodes may be connected to: what the panel names, but no service of this machine or of its cloud. */
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { PanelFailure } from './failures.ts';

/** No node is there, but services of the machine or of its cloud may be. */
const neverNodes = new BlockList();
const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');
for (const network of '0.0.0.0/8 168.63.129.16/32 169.254.0.0/16 224.0.0.0/3 ::/128 fe80::/10 ff00::/8'.split(
  ' ',
)) {
  const [address = '', bits] = network.split('/');
  neverNodes.addSubnet(address, Number(bits), familyOf(address));
}

const isNeverNode = (address: string) => neverNodes.check(address, familyOf(address));

/** Unencrypted only where the panel is: the token must not be readable on the way. */
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
  if (!isUsable || (isIP(ip) && isNeverNode(ip)))
    throw new PanelFailure('malformed', {
      reason: `the address of a ${scheme === 'ws' ? 'console' : 'file'} is not one of a node`,
    });
  return address;
}

export const lookUpNode: LookupFunction = (hostname, options, done) =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error || !first) return done(error ?? new Error('no address'), '');
    if (addresses.some(({ address }) => isNeverNode(address)))
      return done(new Error('not the address of a node'), '');
    return options.all ? done(null, addresses) : done(null, first.address, first.family);
  });
