/** Serves the files of the account page, read when the first of them is requested. */
import { loadPageFiles, pagePolicy, respondPageFile } from '../../bridge/pages/page-files.ts';
import { createPageProtocol, type Protocol, type RequestContext } from '../../bridge/protocol.ts';
import { notFound } from '../../routers/errors.ts';
import { lazy } from '../../routers/support/memoize.ts';
import { respondNotFound, wantsPage } from '../http/notice-page.ts';
import { accountSource } from './page-source.ts';

const indexName = 'index.html';

/** Addresses that show the page: its own, where a single sign-on ends, of a sign-in link, of an app's request, a new key and a server. */
const view = /^(|callback|link|connect|keys\/new|servers\/[\w-]{1,64}(\/[a-z]+)?)$/;

export function createPage({ prefix }: { prefix: string }): Protocol {
  const load = lazy(() => loadPageFiles(accountSource));
  return createPageProtocol(async (ctx) => {
    const { path } = ctx.state.request;
    const files = await load();
    const name = path.slice(prefix.length + 1);
    const file = files.get(view.test(name) ? indexName : name);
    if (!file) return respondMissing(ctx);
    ctx.set({ 'Content-Security-Policy': policy, 'Cross-Origin-Resource-Policy': 'same-origin' });
    return respondPageFile(ctx, file);
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

const policy = `${pagePolicy};require-trusted-types-for 'script';trusted-types 'none'`;
