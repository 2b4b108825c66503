/** Security headers of the account page: only its own files and origin, no framing. */
import helmet from 'koa-helmet';
import type { Middleware } from '../../bridge/http/request-state.ts';

export function createPageHeaders({ isHttps }: { isHttps: boolean }): Middleware {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        // The style sheet draws the select arrow as a data: image.
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
  }) as Middleware; // its types know only Koa's plain context
}
