/** Validates the addresses that files are fetched from. It checks the raw text, because parsers correct addresses in different ways. */
import { badRequest } from '../errors.ts';

const scheme = 'https://';

export function sourceProblem(url: string): string | null {
  if (!url.startsWith(scheme)) return `must begin with ${scheme}`;
  if (!/^[\x21-\x7e]+$/.test(url))
    return 'must be printable ASCII: percent-encode everything else, a space as %20';
  if (url.includes('\\')) return 'must not contain a backslash';
  if (url.includes('#')) return 'must not have a fragment';
  if (/%(?![0-9a-f]{2})/i.test(url)) return 'must have two hexadecimal digits after each %';
  const host = hostOf(url);
  if (host.includes('@')) return 'must not contain a user name';
  if (host.includes(':')) return 'must not have a port';
  return host.endsWith('.') ? 'must not have a dot at the end of its host name' : null;
}

export function requireSource(url: string, hosts: readonly string[]): void {
  if (hosts.length === 0) throw badRequest('Fetching files is turned off on this service');
  if (!hosts.includes(hostOf(url))) throw badRequest(`url must be on one of ${hosts.join(', ')}`);
}

const hostOf = (url: string) => url.slice(scheme.length).split(/[/?]/, 1).join().toLowerCase();
