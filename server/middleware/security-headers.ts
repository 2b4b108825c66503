/** Headers that keep browsers from doing more with an answer than reading it. */
import helmet from 'koa-helmet';
import type { Middleware } from '../../bridge/request-state.ts';

/** An API's answers load nothing and are framed by nobody; HSTS is for whoever ends TLS, when we know it is there. */
export function createSecurityHeaders({ isHttps }: { isHttps: boolean }): Middleware {
  const headers = headersOf({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: isHttps,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    xFrameOptions: { action: 'deny' },
  });
  headers['Cache-Control'] = 'no-store'; // answers are one key's; what is everybody's says so itself
  return function securityHeaders(ctx, next) {
    ctx.set(headers);
    return next();
  };
}

/** What helmet would set at every request, asked once: it is the same for all. */
function headersOf(options: Parameters<typeof helmet>[0]): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name] = value;
    },
    removeHeader: () => {},
  };
  const ctx = { req: {}, res: response, request: { secure: false } };
  void helmet(options)(ctx as never, async () => {}); // helmet touches nothing else of a context
  return headers;
}
