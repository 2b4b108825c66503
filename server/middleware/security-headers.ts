/** Headers that keep browsers from doing more with an answer than reading it. */
import helmet from 'koa-helmet';
import type { Middleware } from '../../bridge/request-state.ts';

/** An API's answers load nothing and are framed by nobody; HSTS is for whoever ends TLS, when we know it is there. */
export function createSecurityHeaders({ isHttps }: { isHttps: boolean }): Middleware {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: isHttps,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  }) as Middleware; // its types know Koa's plain context only
}
