/** Reads how long a response asks to wait, and whether TLS made a connection fail. */

/** @returns milliseconds from now, for seconds or an HTTP date (RFC 9110, 10.2.3); 0 without a valid header */
export function parseRetryAfter(header = '', now: number): number {
  const delayMs = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Math.max(delayMs || 0, 0);
}

/** Codes by which Node.js reports a certificate that it does not trust. */
export const isCertificateErrorCode = (code: string) =>
  /^(ERR_TLS|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED)/.test(code);

export const isTlsErrorCode = (code: string) =>
  isCertificateErrorCode(code) || /^(ERR_SSL|EPROTO)/.test(code);
