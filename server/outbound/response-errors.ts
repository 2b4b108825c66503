/** Reads how long a response asks to wait, and whether a connection failed because of TLS. */

/** @returns milliseconds from now, of seconds or of an HTTP date (RFC 9110, 10.2.3); 0 without a valid header */
export function parseRetryAfter(header = '', now: number): number {
  const delayMs = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Math.max(delayMs || 0, 0);
}

/** Whether the code of an error says that Node.js does not trust a certificate. */
export const isCertificateErrorCode = (code: string) =>
  /^(ERR_TLS|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED)/.test(code);

/** Whether the code of an error says that TLS failed. */
export const isTlsErrorCode = (code: string) =>
  isCertificateErrorCode(code) || /^(ERR_SSL|EPROTO)/.test(code);
