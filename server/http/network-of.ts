/** The networks that requests and failures are counted for: an IPv4 address itself, or the /64 of an IPv6 address, which one subscriber owns. */
import { isIPv6 } from 'node:net';

const groupCount = 8;
const groupBits = 16;

/** @param bits of an IPv6 address's prefix: 64 for a subscriber, 48 for the site that many providers assign */
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
