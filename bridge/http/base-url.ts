/** The absolute URL at which the client of a request reaches the service. */
import type Koa from 'koa';

/** A host name, IPv4 address or bracketed IPv6 address, with an optional port. */
const hostPattern = /^(?:[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * From Host, or X-Forwarded-Host and X-Forwarded-Proto behind a trusted proxy; from the socket when they are malformed.
 * Without a trailing slash.
 */
export function baseUrlOf({ host, protocol, req }: Pick<Koa.Context, 'host' | 'protocol' | 'req'>): string {
  const scheme = protocol === 'https' ? 'https' : 'http'; // X-Forwarded-Proto may be any text
  return `${scheme}://${hostPattern.test(host) ? host.toLowerCase() : socketHost(req.socket)}`;
}

function socketHost({ localAddress = 'localhost', localPort = 80 }: Koa.Context['req']['socket']): string {
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
