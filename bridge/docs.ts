/** /api/v1/docs, for everybody: the guide, and Swagger UI to try each endpoint; nothing is loaded from another host. */
import helmet from 'koa-helmet';
import { ApiError, notFound } from '../routers/errors.ts';
import type { Row } from './catalogue.ts';
import { docsSource } from './docs/page-source.ts';
import type { OpenApiDocument } from './openapi.ts';
import { loadPageFiles, type PageFile, presentPageFile } from './pages/page-files.ts';
import { sendPageFile } from './pages/send-page-file.ts';
import { whenAsked } from './pages/when-asked.ts';
import type { Middleware, RequestContext } from './request-state.ts';
import { restPrefix } from './rest.ts';

export const docsPath = `${restPrefix}/docs`;

const descriptionPath = `${restPrefix}/openapi.json`;
const indexName = 'index.html';
const Allow = 'GET, HEAD, OPTIONS';

interface DocsParts {
  rows: readonly Row[];
  openApiDocument: () => Promise<OpenApiDocument>;
  /** The address users see, without a slash at the end, when it is configured. */
  publicUrl: string | undefined;
  /** Where people manage their keys. */
  keysPath: string;
}

/** Its files are read, and its page is written, when the first of them is asked for. */
export function createDocs(parts: DocsParts): Middleware {
  const secure = createDocsHeaders();
  const load = whenAsked(() => loadDocs(parts));
  return async function docs(ctx) {
    const files = await load();
    const file = files.get(ctx.state.path.slice(docsPath.length + 1) || indexName);
    if (!file) throw notFound('Page');
    await secure(ctx, async () => answer(ctx, file));
  };
}

function answer(ctx: RequestContext, file: PageFile): void {
  const { method } = ctx.state;
  if (method === 'GET' || method === 'HEAD') sendPageFile(ctx, file);
  else if (method === 'OPTIONS') {
    ctx.state.headers['Allow'] = Allow;
    ctx.status = 204;
  } else
    throw new ApiError('method_not_allowed', `${method} is not offered here; use ${Allow}`, {
      headers: { Allow },
    });
}

async function loadDocs({ rows, publicUrl, openApiDocument, keysPath }: DocsParts) {
  const { renderPage } = await import('./docs/page.ts');
  const document = await openApiDocument();
  const baseUrl = publicUrl ?? '{base_url}';
  const probe = rows.find(({ scope, method }) => scope === 'any' && method === 'GET');
  const probePath = probe ? restPrefix + probe.path : descriptionPath;
  const page = renderPage({
    ...{ document, rows, baseUrl, probePath },
    ...{ keysPath, docsPath, descriptionPath },
  });
  const index = await presentPageFile(indexName, Buffer.from(page));
  return new Map([...(await loadPageFiles(docsSource)), [indexName, index]]);
}

/** What the page may do in a browser: load its own files and call its own origin. Swagger UI needs no more than that. */
const createDocsHeaders = () =>
  helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      formAction: ["'none'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
  }) as Middleware; // its types know Koa's plain context only
