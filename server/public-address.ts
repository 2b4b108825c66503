/** Which addresses are of the public internet: a host that a caller names is called only where its name resolves to one. */
import dns, { type LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';

const notPublic = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
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
const notPublicV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const blocked = listOf([...notPublic, ...notPublicV6]);
const assignedV6 = listOf(['2000::/3']);

export const isPublicIp = (address: string): boolean =>
  isIPv4(address)
    ? !blocked.check(address, 'ipv4')
    : assignedV6.check(address, 'ipv6') && !blocked.check(address, 'ipv6');

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
