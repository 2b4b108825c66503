/** An address as a proxy wrote it into X-Forwarded-For, without the port that some add: 1.2.3.4:5678 or [v6]:5678. */
import { isIPv6 } from 'node:net';

export function clientAddress(written: string): string {
  if (!written.includes(':') || isIPv6(written)) return written;
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(written)?.[1];
  return bracketed ?? written.replace(/:\d+$/, '');
}
