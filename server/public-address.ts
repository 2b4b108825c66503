/** Which addresses are of the public internet: a host that a caller names is called only where its name resolves to one. */
import dns, { type LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';

const notPublic = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  '168.63.129.16/32', // public, but of each machine in Azure
  ...[
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
  ],
  ...['192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
];
/** Of all that is assigned, 2000::/3: documentation, tunnels that lead to IPv4 addresses, and benchmarks. */
const notPublicV6 = ['2001::/23', '2001:db8::/32', '3fff::/20'];

const blocked = listOf([...notPublic, ...notPublicV6]);
const assignedV6 = listOf(['2000::/3']);

export function isPublicIp(address: string): boolean {
  const meant = meantAddress(address);
  return isIPv4(meant)
    ? !blocked.check(meant, 'ipv4')
    : assignedV6.check(meant, 'ipv6') && !blocked.check(meant, 'ipv6');
}

/** Of IPv6 addresses that end in an IPv4 address and lead to it: mapped, translated, compatible, and NAT64. */
const prefixesOfIpv4 = ['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '0:0:0:0:0:0', '64:ff9b:0:0:0:0'];

const sixToFour = '2002';

/** The IPv4 address that an IPv6 one leads to; any other address as it is. */
export function meantAddress(address: string): string {
  if (isIPv4(address)) return address;
  const groups = groupsOf(address);
  if (groups[0] === sixToFour) return toIpv4(groups.slice(1, 3));
  return prefixesOfIpv4.includes(groups.slice(0, 6).join(':')) ? toIpv4(groups.slice(6)) : address;
}

/** The eight groups of an IPv6 address, of which `URL` knows every spelling. */
function groupsOf(address: string): string[] {
  const [left = '', right = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [first, last] = [left, right].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => '0'), ...last];
}

const toIpv4 = (groups: readonly string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((bits) => [bits >> 8, bits & 0xff])
    .join('.');

/** Whether a document may be requested at all: from a host by its name, at the standard port. */
export function isPublicUrl(url: string): boolean {
  const { hostname, port } = new URL(url);
  return hostname.includes('.') && port === '' && isIP(hostname) === 0;
}

/** The name leads to an address that may not be called. */
export class ForbiddenAddressError extends Error {}

/**
 * For `https.request`, which connects to the address that was checked. Asks the name servers itself: the system's lookup
 * waits in a thread, and name servers of a stranger that never answer would hold the threads that the panel's host and
 * the database's are looked up in.
 */
export const createLookup =
  (isAllowed: (address: string) => boolean): LookupFunction =>
  (hostname, { all }, done) => {
    findAddresses(hostname, isAllowed).then(
      (addresses) => (all ? done(null, addresses) : done(null, addresses[0].address, addresses[0].family)),
      (failure) => done(failure, ''),
    );
  };

export const lookUpPublic = createLookup(isPublicIp);

/**
 * The addresses of a host.
 * @throws {ForbiddenAddressError} unless all of them are allowed
 */
export async function findAddresses(
  hostname: string,
  isAllowed: (address: string) => boolean,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const none = (): string[] => [];
  const [v4, v6] = await Promise.all([
    dns.promises.resolve4(hostname).catch(none),
    dns.promises.resolve6(hostname).catch(none),
  ]);
  const [first, ...others] = [...v4, ...v6].map((address) => ({ address, family: isIP(address) }));
  if (!first) throw new Error('the host has no address');
  if (![first, ...others].every(({ address }) => isAllowed(address)))
    throw new ForbiddenAddressError('the host has an address that may not be called');
  return [first, ...others];
}

export function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return list;
}
