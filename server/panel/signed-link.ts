/** A link that the panel has signed for a node or a store, by which anyone may download one thing; it is never kept or logged. */
import { z } from 'zod';
import { readClaims } from './jwt-claims.ts';
import { parseBody } from './panel-api.ts';

const SignedUrl = z.object({ attributes: z.object({ url: z.url({ protocol: /^https?$/ }) }) });

/** A node's links live this long, those of an S3 store shorter. */
const linkLifetimeMs = 15 * 60_000;

/** The response to `GET .../download`; the end of its life is read from the link itself. */
export function parseSignedLink(body: unknown, now: number) {
  const { url } = parseBody(SignedUrl, body).attributes;
  return { url, expiresAt: readExpiry(new URL(url).searchParams) ?? now + linkLifetimeMs };
}

function readExpiry(query: URLSearchParams): number | null {
  // A node's token; its `exp` counts seconds, perhaps with a fraction.
  const { exp } = readClaims(query.get('token') ?? '', Expiring) ?? {};
  const lifetimeSeconds = Number(query.get('X-Amz-Expires') ?? Number.NaN);
  const expiry = exp === undefined ? readAmzDate(query) + lifetimeSeconds * 1000 : Math.ceil(exp) * 1000;
  return Number.isSafeInteger(expiry) ? expiry : null;
}

const Expiring = z.object({ exp: z.number() });

/** An S3 store's moment of signing, such as 20260501T120000Z. */
function readAmzDate(query: URLSearchParams): number {
  const [, day, time] = /^(\d{8})T(\d{6})Z$/.exec(query.get('X-Amz-Date') ?? '') ?? [];
  if (!day || !time) return Number.NaN;
  const date = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
  return Date.parse(`${date}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`);
}
