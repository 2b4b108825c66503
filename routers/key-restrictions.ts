/** A key can be restricted to some of its owner's servers, and to the network addresses that may use it. */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';
import { restrictionsMax } from '../models/bounds.ts';
import { dayMs } from '../models/support/durations.ts';
import type { KeyPolicy } from './context.ts';
import { filledExactText } from './schemas/text.ts';
import { listOwnedServers, type ServerContext } from './servers/owned-server.ts';

export const KeyServers = z
  .array(filledExactText(100))
  .min(1)
  .max(restrictionsMax)
  .transform((servers) => [...new Set(servers)]);

const AddressRange = z
  .string()
  .max(100)
  .transform((range, { addIssue }) => {
    const normal = normalRange(range.trim());
    if (normal !== null) return normal;
    addIssue('must be an address or a range, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48');
    return z.NEVER;
  });

export const KeyAddresses = z
  .array(AddressRange)
  .min(1)
  .max(restrictionsMax)
  .transform((addresses) => [...new Set(addresses)]);

/** How many bits of an IPv4-mapped IPv6 address come before the IPv4 address. */
const mappedBits = 96;

/** The stored form of an address or range; null if it is neither, or if it contains every address. */
function normalRange(range: string): string | null {
  const [address = '', bits, ...more] = range.split('/');
  if (isIP(address) === 0 || address.includes('%') || more.length > 0) return null;
  const normal = normalAddress(address);
  if (bits === undefined) return normal;
  if (!/^\d{1,3}$/.test(bits)) return null;
  const isMapped = isIPv6(address) && isIPv4(normal);
  const length = Number(bits) - (isMapped ? mappedBits : 0);
  return length >= 1 && length <= (isIPv4(normal) ? 32 : 128) ? `${normal}/${length}` : null;
}

/** Returns the shortest form of an IPv6 address, or the IPv4 address if it is IPv4-mapped. */
function normalAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const [withoutZone = ''] = address.split('%');
  const shortest = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(shortest) ?? [];
  if (high === undefined || low === undefined) return shortest;
  const bytes = [high, low].flatMap((part) => {
    const value = Number.parseInt(part, 16);
    return [value >> 8, value & 0xff];
  });
  return bytes.join('.');
}

/** @param ranges as `KeyAddresses` returns them */
export function compileAddresses(ranges: readonly string[]): (address: string) => boolean {
  // Two lists, because the IPv6 ranges of a list also match IPv4-mapped addresses.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = familyOf(address);
    if (bits === undefined) lists[family].addAddress(address, family);
    else lists[family].addSubnet(address, Number(bits), family);
  }
  return (address) => {
    if (isIP(address) === 0) return false;
    const normal = normalAddress(address);
    const family = familyOf(normal);
    return lists[family].check(normal, family);
  };
}

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6');

export const latestExpiry = ({ maxDays }: KeyPolicy, now: Date): Date | null =>
  maxDays === null ? null : new Date(now.getTime() + maxDays * dayMs);

interface RestrictedKey {
  scopes: readonly string[];
  servers: readonly string[] | null;
  addresses: readonly string[] | null;
  expiresAt: Date | null;
}

export function keyProblem(
  { scopes, servers, addresses, expiresAt }: RestrictedKey,
  policy: KeyPolicy,
  now: Date,
): string | null {
  const latest = latestExpiry(policy, now);
  if (latest && (!expiresAt || expiresAt > latest)) return `A key must expire within ${policy.maxDays} days`;
  if (addresses && !policy.canRestrictAddresses) return addressesUnknown;
  return servers && scopes.includes('write:webhooks')
    ? 'A key that is restricted to servers cannot have write:webhooks'
    : null;
}

const addressesUnknown =
  'Addresses cannot be restricted: the service is behind a proxy, and TRUST_PROXY is not true';

export async function findForeignServer(
  ctx: ServerContext,
  identifiers: readonly string[],
): Promise<string | undefined> {
  const owned = new Set((await listOwnedServers(ctx, 'list')).map(({ identifier }) => identifier));
  return identifiers.find((identifier) => !owned.has(identifier));
}
