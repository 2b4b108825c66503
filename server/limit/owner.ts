/** Names the owner that a limit counts: a user, or the network of a visitor's address. */
import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { RequestContext } from '../../bridge/protocol.ts';
import type { Caller } from '../../routers/caller.ts';
import { unwrapIpv4 } from '../outbound/addresses.ts';

export type Owner = number | string;

export const ownerOf = ({ state }: RequestContext, { kind, userId }: Caller): Owner =>
  kind === 'visitor' ? networkOf(state.request.address) : userId;

/** @param bits the length of an IPv6 prefix: 64 for one subscriber, 48 for a site, as many providers assign it */
export function networkOf(address: string, bits: 64 | 48 = 64): string {
  if (!isIPv6(address)) return address;
  const unmapped = unwrapIpv4(address);
  return isIPv4(unmapped) ? unmapped : `${ipaddr.IPv6.networkAddressFromCIDR(`${unmapped}/${bits}`)}/${bits}`;
}
