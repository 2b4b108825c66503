/** Headers that keep browsers from doing more with a response than reading it. */
import helmet from 'koa-helmet';

/** API responses load nothing and may not be framed. HSTS only where PUBLIC_URL is https, as TLS ends in front of us. */
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
  headers['Cache-Control'] = 'no-store'; // responses belong to one key; public ones set their own
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
