/** Serves the files of the account page, which are read on the first request. */
import { type Brand, logoOf } from '../../bridge/pages/brand.ts';
import { escapeHtml } from '../../bridge/pages/escape-html.ts';
import { loadPageFiles, pagePolicy, respondPageFile, toPageFile } from '../../bridge/pages/page-files.ts';
import { createPageProtocol, type Protocol, type RequestContext } from '../../bridge/protocol.ts';
import { notFound } from '../../routers/errors.ts';
import { lazy } from '../../routers/support/memoize.ts';
import { respondNotFound, wantsPage } from '../http/notice-page.ts';
import { withTimeout } from '../limit/with-timeout.ts';
import { accountSource } from './page-source.ts';

const indexName = 'index.html';
const logoName = 'logo';

/**
 * The paths that show the page: its root, single sign-on's callback, sign-in links (also if a mail program changed
 * them), an app's request, a new key and a server.
 */
const view = /^(|callback|link(\W.*)?|connect|keys\/new|servers\/[\w-]{1,64}(\/[a-z]+)?)$/;

interface PageOptions {
  prefix: string;
  brand: Brand;
  /** The origins of images that the page may load beside its own. */
  listImageOrigins(): Promise<readonly string[]>;
}

/** The page must load while the database is away; it then shows no images of other origins. */
const originsMsMax = 500;

export function createPage({ prefix, brand, listImageOrigins }: PageOptions): Protocol {
  const load = lazy(() => loadBranded(brand));
  return createPageProtocol(async (ctx) => {
    const { path } = ctx.state.request;
    const files = await load();
    const name = path.slice(prefix.length + 1);
    const isView = view.test(name);
    const file = files.get(isView ? indexName : name);
    if (!file) return respondMissing(ctx, brand);
    const origins = isView ? await withTimeout(originsMsMax, listImageOrigins()).catch(() => []) : [];
    ctx.set({
      'Content-Security-Policy': name === logoName ? logoPolicy : policyWith(origins),
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
    return respondPageFile(ctx, file);
  });
}

async function loadBranded(brand: Brand) {
  const { name, keyPrefix } = brand;
  const files = await loadPageFiles(accountSource);
  const index = files.get(indexName)?.content.toString() ?? '';
  const written = index
    .replaceAll('%HOST_NAME%', () => escapeHtml(name)) // a function, because a replacement text would interpret $
    .replaceAll('%KEY_PREFIX%', keyPrefix);
  const { bytes, contentType } = logoOf(brand);
  files.set(logoName, { ...(await toPageFile(logoName, bytes)), type: contentType });
  return files.set(indexName, await toPageFile(indexName, Buffer.from(written)));
}

/** @throws notFound for programs */
function respondMissing(ctx: RequestContext, brand: Brand): null {
  ctx.vary('Accept');
  if (!wantsPage(ctx)) throw notFound('Page');
  ctx.status = 404;
  respondNotFound(ctx, brand);
  return null;
}

/** For an image that may hold scripts and be opened as a document, as an SVG can. */
const logoPolicy = "default-src 'none';style-src 'unsafe-inline';sandbox;frame-ancestors 'none'";

const policy = `${pagePolicy};require-trusted-types-for 'script';trusted-types 'none'`;

const policyWith = (origins: readonly string[]) =>
  policy.replace(/img-src [^;]*/, (images) => [images, ...origins].join(' '));
