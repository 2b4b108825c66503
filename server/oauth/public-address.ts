/** Which addresses are of the public internet: nothing else is asked for the metadata document of an app. */
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

/** Whether a document may be asked for at all: from a host by its name, at the standard port. */
export function isPublicUrl(url: string): boolean {
  const { hostname, port } = new URL(url);
  return hostname.includes('.') && port === '' && isIP(hostname) === 0;
}

/**
 * For `https.request`, which connects to the address that was checked. Asks the name servers itself: the system's lookup
 * waits in a thread, and name servers of an app's author that never answer would hold the threads that the panel's host and
 * the database's are looked up in.
 */
export const lookUpPublic: LookupFunction = (hostname, { all }, done) => {
  findPublicAddresses(hostname).then(
    (addresses) => (all ? done(null, addresses) : done(null, addresses[0].address, addresses[0].family)),
    (failure) => done(failure, ''),
  );
};

/** @throws unless there is an address and all are public */
async function findPublicAddresses(hostname: string): Promise<[LookupAddress, ...LookupAddress[]]> {
  const none = (): string[] => [];
  const [v4, v6] = await Promise.all([
    dns.promises.resolve4(hostname).catch(none),
    dns.promises.resolve6(hostname).catch(none),
  ]);
  const [first, ...others] = [...v4, ...v6].map((address) => ({ address, family: isIP(address) }));
  if (!first) throw new Error('the host of the document has no address');
  if (![first, ...others].every(({ address }) => isPublicIp(address)))
    throw new Error('the host of the document has an address that is not public');
  return [first, ...others];
}

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return list;
}
