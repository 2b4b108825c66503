/** Headers that keep browsers from doing more with an answer than reading it. */
import helmet from 'koa-helmet';

/** An API's answers load nothing and are framed by nobody; HSTS is for whoever ends TLS, when we know it is there. */
export function securityHeaders({ isHttps }: { isHttps: boolean }): Record<string, string> {
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
  return headers;
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
