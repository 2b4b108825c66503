/** Where a request comes from: its address, the network that is limited, and the user. */
import { isIPv6 } from 'node:net';
import type { RequestState } from '../../bridge/http/request-state.ts';

/** An address as a proxy wrote it into X-Forwarded-For, without the port that some add: 1.2.3.4:5678 or [v6]:5678. */
export function clientAddress(written: string): string {
  if (!written.includes(':') || isIPv6(written)) return written;
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(written)?.[1];
  return bracketed ?? written.replace(/:\d+$/, '');
}

const groupCount = 8;
const groupBits = 16;

/**
 * What requests and failures are counted for: an IPv4 address itself, or the network of an IPv6 address.
 *
 * @param bits of an IPv6 address's prefix: 64 for a subscriber, 48 for the site that many providers assign
 */
export function networkOf(address: string, bits: 64 | 48 = 64): string {
  if (!isIPv6(address)) return address;
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [withoutZone = ''] = address.split('%');
  const [head = '', tail = ''] = withoutZone.split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail);
  const zeros = Array<string>(groupCount - left.length - right.length).fill('0');
  return `${[...left, ...zeros, ...right].slice(0, bits / groupBits).join(':')}::/${bits}`;
}

const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16).toString(16));

/** Who uses what a process has: a user by id, or the network of a visitor's address. */
export type Owner = number | string;

export const ownerOf = ({ caller, session, address }: RequestState): Owner =>
  caller?.userId ?? session?.user._id ?? networkOf(address);
