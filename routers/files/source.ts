/** Which addresses files are fetched from. An address is judged as it is written, as parsers correct one in different ways. */
import { badRequest } from '../errors.ts';

const scheme = 'https://';

/** What is wrong with an address, as in "must begin with https://"; null where nothing is. */
export function sourceProblem(url: string): string | null {
  if (!url.startsWith(scheme)) return `must begin with ${scheme}`;
  if (!/^[\x21-\x7e]+$/.test(url)) return 'must be printable ASCII: percent-encode all else, a blank as %20';
  if (url.includes('\\')) return 'must have no backslash';
  if (url.includes('#')) return 'must have no fragment';
  if (/%(?![0-9a-f]{2})/i.test(url)) return 'must have two hexadecimal digits after each %';
  const host = hostOf(url);
  if (host.includes('@')) return 'must have no user';
  if (host.includes(':')) return 'must have no port';
  return host.endsWith('.') ? 'must have no dot at the end of its host' : null;
}

/** @throws bad_request for an address at none of these hosts */
export function requireSource(url: string, hosts: readonly string[]): void {
  if (hosts.length === 0) throw badRequest('Fetching files is turned off here');
  if (!hosts.includes(hostOf(url))) throw badRequest(`url must be at one of ${hosts.join(', ')}`);
}

const hostOf = (url: string) => url.slice(scheme.length).split(/[/?]/, 1).join().toLowerCase();
