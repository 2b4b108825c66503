/** Which web pages may reach /mcp: none but ours and the configured ones, so that no page can rebind a name to us. */
import { localhostAllowedOrigins, validateOriginHeader } from '@modelcontextprotocol/server';

interface OriginSettings {
  /** Full origins, or "*" for any. */
  corsOrigins: readonly string[];
  /** The address users see. Without one, pages from this machine may call. */
  publicUrl: string | undefined;
}

/** Programs send no Origin and pass. The Host header is no proof of home: a rebound name is in both. */
export function createOriginCheck({ corsOrigins, publicUrl }: OriginSettings) {
  const known = new Set([...corsOrigins, ...(publicUrl ? [new URL(publicUrl).origin] : [])]);
  const isFromHome = (origin: string) =>
    publicUrl === undefined && validateOriginHeader(origin, localhostAllowedOrigins()).ok;
  return (origin: string): boolean =>
    origin === '' || known.has('*') || known.has(origin) || isFromHome(origin);
}
