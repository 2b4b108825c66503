/** What the account page may do in a browser: load its own files, call its own origin, be framed by nobody. */
import helmet from 'koa-helmet';
import type { Middleware } from '../../bridge/request-state.ts';

export function createPageHeaders({ isHttps }: { isHttps: boolean }): Middleware {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        // The arrow of a list box is drawn in the style sheet.
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        formAction: ["'none'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: isHttps,
  }) as Middleware; // its types know Koa's plain context only
}
