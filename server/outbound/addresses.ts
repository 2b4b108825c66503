/**
 * Decides which addresses may be called when a caller names them: the public internet, and for webhooks the ranges
 * that the operator opens. The same check runs when an address is stored and at each connection.
 */
import dns, { type LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { WebhookAddresses } from '../../routers/ports.ts';

/** All assigned IPv6 addresses. */
const assigned = ipaddr.parseCIDR('2000::/3');

export function isPublicIp(address: string): boolean {
  const ip = ipaddr.parse(unwrapIpv4(address));
  const isAssigned = ip.kind() === 'ipv4' || ip.match(assigned);
  return ip.range() === 'unicast' && isAssigned && !isAlwaysForbidden(address);
}

/** IPv6 addresses that end in an IPv4 address and lead to it: compatible, mapped, translated, and NAT64. */
const ipv4WrappingRanges = listOf(['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96']);

/** Returns the IPv4 address that an IPv6 address leads to, and any other address unchanged. */
export function unwrapIpv4(address: string): string {
  if (isIPv4(address)) return address;
  const ip = ipaddr.IPv6.parse(address);
  const bytes = ip.toByteArray();
  if (ip.range() === '6to4') return ipaddr.fromByteArray(bytes.slice(2, 6)).toString();
  if (ip.range() === 'loopback' || !contains(ipv4WrappingRanges, address)) return ip.toString();
  return ipaddr.fromByteArray(bytes.slice(-4)).toString();
}

const rangeOf = (address: string) => ipaddr.parse(unwrapIpv4(address)).range();

/** Removes the brackets of an IPv6 address. `URL` has already normalized every notation of an IPv4 address. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

export function canonicalHost(address: string): string {
  const host = hostOf(new URL(address)).replace(/\.$/, '');
  return isIP(host) === 0 ? host : unwrapIpv4(host);
}

/** Documents may be requested only from a host name, not an IP address, at the standard port. */
export function isDocumentUrl(url: string): boolean {
  const { hostname, port } = new URL(url);
  return hostname.includes('.') && port === '' && isIP(hostname) === 0;
}

export class ForbiddenAddressError extends Error {}

export interface AddressRules extends WebhookAddresses {
  /** Whether the URL itself may be called. `lookup` checks the addresses of its host name. */
  isAllowedUrl(url: URL): boolean;
  /** Fails with ForbiddenAddressError for a name that leads to a forbidden address. */
  lookup(url: URL): LookupFunction;
}

const lookupTimeoutMs = 3000;

/**
 * Addresses where a cloud machine reads its own secrets: at Alibaba, Azure and Oracle, and over IPv6 at Akamai, Alibaba,
 * AWS, Google, Oracle and Scaleway. Link-local ones are in `nonHostRanges`.
 */
const cloudMetadata = `100.100.100.200/32 168.63.129.16/32 192.0.0.192/32 fd00:a9fe:a9fe::1/128
  fd00:100::100:200/128 fd00:ec2::/32 fd20:ce::254/128 fd00:c1::a9fe:a9fe/128 fd00:42::42/128`;

/** Includes local NAT64 translators (RFC 8215), which may lead to any IPv4 address. */
const nonHostRanges = '0.0.0.0/8 169.254.0.0/16 224.0.0.0/3 ::/128 64:ff9b:1::/48 fe80::/10 ff00::/8';

const alwaysForbidden = listOf(`${cloudMetadata} ${nonHostRanges}`.split(/\s+/));

/** No setting opens these addresses. A zone, as in fe80::1%eth0, names a network interface of this machine. */
export const isAlwaysForbidden = (address: string) =>
  address.includes('%') || contains(alwaysForbidden, unwrapIpv4(address));

/** @param allowed ranges besides the public internet, such as `10.1.0.0/16` */
export function createAddressRules(allowed: readonly string[]): AddressRules {
  const allowedRanges = listOf(allowed);
  const isInAllowedRange = (address: string) => {
    const unwrapped = unwrapIpv4(address);
    return contains(allowedRanges, unwrapped) && !isAlwaysForbidden(address);
  };
  const isCallable = (address: string) => isPublicIp(address) || isInAllowedRange(address);
  /** Plain http is allowed only in opened ranges. */
  const ruleOf = ({ protocol }: URL) => (protocol === 'https:' ? isCallable : isInAllowedRange);
  const isAllowedUrl = (url: URL) => {
    const host = hostOf(url);
    if (url.username !== '' || url.password !== '') return false;
    if (url.protocol !== 'https:' && (url.protocol !== 'http:' || allowed.length === 0)) return false;
    const address = isLocalhost(host) ? '127.0.0.1' : host;
    return isIP(address) === 0 || ruleOf(url)(address);
  };
  return {
    isAllowedUrl,
    lookup: (url) => createLookup(ruleOf(url)),
    async refusalOf(text) {
      const url = new URL(text);
      const refusal = url.protocol === 'https:' ? 'must be at a public internet address' : 'must be https';
      if (!isAllowedUrl(url)) return refusal;
      if (isIP(hostOf(url)) !== 0) return null;
      const tooLong = new Promise<null>((resolve) => setTimeout(resolve, lookupTimeoutMs, null).unref());
      const found = findAddresses(hostOf(url), ruleOf(url)).catch((failure: unknown) => failure);
      // A name that does not resolve now is checked again at each connection.
      return (await Promise.race([found, tooLong])) instanceof ForbiddenAddressError ? refusal : null;
    },
  };
}

/** RFC 6761: localhost is always this machine, whatever a name server says. */
const isLocalhost = (host: string) => /(^|\.)localhost\.?$/.test(host);

export const isLoopbackIp = (address: string) => rangeOf(address) === 'loopback';

const privateRanges = ['private', 'carrierGradeNat', 'uniqueLocal'];

export const isPrivateIp = (address: string) => privateRanges.includes(rangeOf(address));

const contains = (list: BlockList, address: string) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

/**
 * Makes `https.request` connect to the address that was checked. It queries the name servers directly: the system's
 * lookup waits in a thread, and external name servers that never respond would hold the threads that look up the hosts
 * of the panel and the database.
 */
const createLookup =
  (isAllowed: (address: string) => boolean): LookupFunction =>
  (hostname, { all }, done) => {
    findAddresses(hostname, isAllowed).then(
      (addresses) => (all ? done(null, addresses) : done(null, addresses[0].address, addresses[0].family)),
      (failure) => done(failure, ''),
    );
  };

export const lookUpPublic = createLookup(isPublicIp);

/** @throws {ForbiddenAddressError} unless all addresses of the host are allowed */
async function findAddresses(
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
    throw new ForbiddenAddressError('the host has an address that must not be called');
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
