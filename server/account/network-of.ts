/** Whose an address is: an IPv4 address stands for itself, an IPv6 one for its /64, which one subscriber has whole. */
import { isIPv6 } from 'node:net';

const groupCount = 8;
const networkGroupCount = 4;

export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [withoutZone = ''] = address.split('%');
  const [head = '', tail = ''] = withoutZone.split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail);
  const zeros = Array<string>(groupCount - left.length - right.length).fill('0');
  return `${[...left, ...zeros, ...right].slice(0, networkGroupCount).join(':')}::/64`;
}

const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16).toString(16));
