/** Lets pages of the configured origins call the API from a browser; never with cookies. */
import cors from '@koa/cors';
import type { Middleware } from '../../bridge/http/request-state.ts';

const acceptedHeaders = [
  'Authorization',
  'X-API-Key',
  'Content-Type',
  'Idempotency-Key',
  'X-Request-Id',
  'trpc-accept',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
];

const exposedHeaders = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotency-Replayed',
  'WWW-Authenticate',
];

/**
 * Null where no page may call.
 * @param origins full origins such as https://app.example.com, or "*" for any
 */
export function createCors(origins: readonly string[]): Middleware | null {
  if (origins.length === 0) return null;
  const isAllowed = (origin: string) => origins.includes('*') || origins.includes(origin);
  return cors({
    origin: (ctx) => (isAllowed(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: acceptedHeaders,
    exposeHeaders: exposedHeaders,
    maxAge: 600,
    keepHeadersOnError: false,
  }) as Middleware; // its types know Koa's plain context only
}
