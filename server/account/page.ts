/** Serves the files of the account page, read when the first of them is asked for. */

import helmet from 'koa-helmet';
import { loadPageFiles, sendPageFile } from '../../bridge/pages/page-files.ts';
import {
  createPageProtocol,
  type Middleware,
  type Protocol,
  type RequestContext,
} from '../../bridge/protocol.ts';
import { ApiError, notFound } from '../../routers/errors.ts';
import { lazy } from '../../routers/memoize.ts';
import { respondNotFound, wantsPage } from '../http/notice-page.ts';
import { accountSource } from './page-source.ts';

const indexName = 'index.html';

/** Addresses that show the page: its own, where a single sign-on ends, of a sign-in link, and of an app's request. */
const views = ['', 'callback', 'link', 'connect'];

export function createPage({ prefix, isHttps }: { prefix: string; isHttps: boolean }): Protocol {
  const load = lazy(() => loadPageFiles(accountSource));
  const setHeaders = createPageHeaders({ isHttps });
  return createPageProtocol(async (ctx) => {
    const { method, path } = ctx.state.request;
    const files = await load();
    const name = path.slice(prefix.length + 1);
    const file = files.get(views.includes(name) ? indexName : name);
    if (!file) return respondMissing(ctx);
    if (method !== 'GET' && method !== 'HEAD') throw new ApiError('not_found', 'Page not found');
    await setHeaders(ctx, async () => void sendPageFile(ctx, file));
    return null;
  });
}

/** @throws notFound for programs */
function respondMissing(ctx: RequestContext): null {
  ctx.vary('Accept');
  if (!wantsPage(ctx)) throw notFound('Page');
  ctx.status = 404;
  respondNotFound(ctx);
  return null;
}

/** Security headers of the account page: only its own files and origin, no framing. */
function createPageHeaders({ isHttps }: { isHttps: boolean }): Middleware {
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
