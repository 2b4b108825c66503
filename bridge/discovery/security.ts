/** /.well-known/security.txt (RFC 9116): where to report a vulnerability. */

interface SecurityOptions {
  /** A URI. */
  contact: string;
  /** The absolute address of the file itself; empty where it is not known. */
  url: string;
  now: number;
}

const monthsAhead = 7;

/** It expires at the beginning of a month, so that all processes give the same text for a month. */
export function writeSecurity({ contact, url, now }: SecurityOptions): string {
  const date = new Date(now);
  const expires = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsAhead));
  return `Contact: ${contact}
Expires: ${expires.toISOString().replace('.000', '')}
Preferred-Languages: en
${url && `Canonical: ${url}\n`}`;
}
