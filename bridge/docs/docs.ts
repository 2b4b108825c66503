/** GET /api/v1/docs, without a key: the guide, and Swagger UI to try each endpoint. Loads nothing from other hosts. */
import { heldBaseUrlsMax } from '../../models/bounds.ts';
import { notFound } from '../../routers/errors.ts';
import { lazy, memoizeRecent } from '../../routers/support/memoize.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import type { DocumentRequest } from '../openapi/served-document.ts';
import type { Operation } from '../operations.ts';
import type { Brand } from '../pages/brand.ts';
import {
  createNamedBaseUrl,
  loadPageFiles,
  pagePolicy,
  presentPageFile,
  respondPageFile,
} from '../pages/page-files.ts';
import { createPageProtocol, type Protocol, type RequestContext } from '../protocol.ts';
import { restPrefix } from '../rest/rest.ts';
import { docsSource } from './page-source.ts';

export const docsPath = `${restPrefix}/docs`;

export const descriptionPath = `${restPrefix}/openapi.json`;
const indexName = 'index.html';

interface DocsDeps {
  brand: Brand;
  rows: readonly Operation[];
  openApiDocument: (request: DocumentRequest) => Promise<OpenApiDocument>;
  /** The address at which a client reaches the service. */
  baseUrlOf: (ctx: RequestContext) => string;
  /** The page on which people manage what is theirs. */
  accountPath: string;
  /** Whether agents may sign their users in by themselves. */
  hasApps?: boolean;
}

/** In examples, where the document names no base URL. */
const unnamedBaseUrl = 'https://HOST';

/** Reads the files and renders the page on the first request. */
export function createDocs(deps: DocsDeps): Protocol {
  const namedBaseUrl = createNamedBaseUrl();
  const loadFiles = lazy(() => loadPageFiles(docsSource));
  const loadIndex = memoizeRecent(heldBaseUrlsMax, (baseUrl) => lazy(() => renderIndex(deps, baseUrl)));
  return createPageProtocol(async (ctx) => {
    const name = ctx.state.request.path.slice(docsPath.length + 1) || indexName;
    const isIndex = name === indexName;
    const file = isIndex
      ? await loadIndex(namedBaseUrl(deps.baseUrlOf(ctx)))()
      : (await loadFiles()).get(name);
    if (!file) throw notFound('Page');
    ctx.set('Content-Security-Policy', pagePolicy);
    return respondPageFile(ctx, file);
  });
}

async function renderIndex(
  { rows, brand, openApiDocument, accountPath, hasApps = false }: DocsDeps,
  baseUrl: string,
) {
  const { renderPage } = await import('./page.ts');
  const document = await openApiDocument({ version: '3.1', baseUrl });
  const probe = rows.find(({ scope, method }) => scope === 'any' && method === 'GET');
  const probePath = probe ? restPrefix + probe.path : descriptionPath;
  const page = renderPage({
    brand,
    document,
    operations: rows,
    baseUrl: baseUrl || unnamedBaseUrl,
    probePath,
    accountPath,
    docsPath,
    descriptionPath,
    hasApps,
  });
  return presentPageFile(indexName, Buffer.from(page));
}
