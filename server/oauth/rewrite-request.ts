/** Passes a request on to the authorization server's library with another query or body. */
import type { RequestContext } from '../../bridge/http/request-state.ts';

/** The library builds addresses from these; a request could name any host. */
export function pinOrigin({ request, cookies }: RequestContext, issuer: string): void {
  const { protocol, host } = new URL(issuer);
  request.url = request.path + request.search; // it may be a whole address
  const pinned = { protocol: protocol.slice(0, -1), host, origin: issuer, href: `${issuer}${request.url}` };
  for (const [name, value] of Object.entries(pinned)) Object.defineProperty(request, name, { value });
  cookies.secure = protocol === 'https:';
}

/** A body that has been received, in place of the one that was sent. */
export function replaceBody({ req }: RequestContext, body: string): void {
  const bytes = Buffer.from(body);
  delete req.headers['transfer-encoding'];
  req.headers['content-length'] = String(bytes.length);
  Object.defineProperties(req, {
    readable: { value: true, configurable: true },
    iterator: { value: () => [bytes], configurable: true },
  });
}
