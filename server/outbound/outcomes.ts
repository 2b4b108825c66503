/** What the answers and the failed connections of others say. */

/** Retry-After, in seconds or as an HTTP date (RFC 9110, 10.2.3), as milliseconds from now; 0 where it says nothing. */
export function parseRetryAfter(header = '', now: number): number {
  const delayMs = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Math.max(delayMs || 0, 0);
}

/** Whether the code of an error says that Node.js does not trust a certificate. */
export const isUntrustedCode = (code: string) =>
  /^(ERR_TLS|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED)/.test(code);

/** Whether the code of an error says that TLS failed. */
export const isTlsCode = (code: string) => isUntrustedCode(code) || /^(ERR_SSL|EPROTO)/.test(code);
