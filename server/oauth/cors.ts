/** Lets apps that run in a browser, of any origin, read the documents and obtain tokens; cookies count for nothing here. */
import cors from '@koa/cors';
import type { Middleware } from '../../bridge/http/request-state.ts';

export const allowAnyOrigin = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST'],
  allowHeaders: ['Authorization', 'Content-Type', 'MCP-Protocol-Version'],
  exposeHeaders: ['Retry-After', 'WWW-Authenticate'],
  maxAge: 600,
  keepHeadersOnError: true,
}) as Middleware; // its types know Koa's plain context only
