/** GET /api/v1/docs and the documents for programs, from the docs in Markdown to robots.txt. None needs a key. */
import { cachedBaseUrlsMax, parsedHeaderLengthMax } from '../../models/bounds.ts';
import { notFound } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import { lazy, memoizeRecent } from '../../routers/support/memoize.ts';
import { discoveryPaths, securityTxtPath, writeSecurityTxt } from '../discovery/well-known.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { placeholderBaseUrl } from '../openapi/samples.ts';
import type { DocumentRequest } from '../openapi/served-document.ts';
import type { Operation } from '../operations.ts';
import type { Brand } from '../pages/brand.ts';
import {
  createBaseUrlLimiter,
  loadPageFiles,
  pagePolicy,
  respondPageFile,
  toPageFile,
} from '../pages/page-files.ts';
import { createPageProtocol, headerOf, type Protocol, type RequestContext } from '../protocol.ts';
import { restPrefix } from '../rest/rest.ts';
import type { Example } from './guide.ts';
import { docsSource } from './page-source.ts';

export const docsPath = `${restPrefix}/docs`;

export const descriptionPath = `${restPrefix}/openapi.json`;
const indexName = 'index.html';
const markdownPath = `${docsPath}.md`;

interface DocsDeps {
  brand: Brand;
  operations: readonly Operation[];
  openApiDocument: (request: DocumentRequest) => Promise<OpenApiDocument>;
  baseUrlOf: (ctx: RequestContext) => string;
  accountPath: string;
  hasApps: boolean;
  /** Where to report a vulnerability. If null, there is no security.txt. */
  securityContact: string | null;
  contentSignal: string | null;
  clock: Clock;
}

interface Docs {
  matches: (path: string) => boolean;
  protocol: Protocol;
}

/** The first request for each base URL reads the files, and renders the page and all documents. */
export function createDocs(deps: DocsDeps): Docs {
  const limitBaseUrl = createBaseUrlLimiter();
  const loadFiles = lazy(() => loadPageFiles(docsSource));
  const loadDocuments = memoizeRecent(cachedBaseUrlsMax, (baseUrl) =>
    lazy(async () => renderDocs(deps, await loadFiles(), baseUrl)),
  );
  const matches = createMatches(deps);
  const protocol = createPageProtocol(async (ctx) => {
    const { path } = ctx.state.request;
    const baseUrl = limitBaseUrl(deps.baseUrlOf(ctx));
    if (path === securityTxtPath && deps.securityContact !== null) {
      const text = writeSecurityTxt(deps.securityContact, baseUrl, new Date(deps.clock()));
      return respondPageFile(ctx, await toPageFile('security.txt', Buffer.from(text)));
    }
    const { page, documents } = await loadDocuments(baseUrl)();
    const document = documents.get(pathOf(ctx));
    if (document) ctx.set(openToPages);
    const name = path.slice(docsPath.length + 1) || indexName;
    const file = document ?? (name === indexName ? page : (await loadFiles()).get(name));
    if (!file) throw notFound('Page');
    if (path.startsWith(docsPath)) ctx.set('Content-Security-Policy', pagePolicy);
    return respondPageFile(ctx, file);
  });
  return { matches, protocol };
}

function createMatches({ securityContact }: DocsDeps) {
  const paths = new Set<string>([
    docsPath,
    markdownPath,
    ...Object.values(discoveryPaths),
    ...(securityContact === null ? [] : [securityTxtPath]),
  ]);
  return (path: string) => paths.has(path) || path.startsWith(`${docsPath}/`);
}

/** Pages of any origin must be able to read MCP's catalogs, and may read every other public document. */
const openToPages = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET',
  'Access-Control-Allow-Headers': 'Content-Type',
};

/** Serves the page as Markdown to a client that prefers it. */
function pathOf(ctx: RequestContext): string {
  const { path } = ctx.state.request;
  if (path !== docsPath && path !== `${docsPath}/`) return path;
  ctx.vary('Accept');
  const isReadable = headerOf(ctx, 'accept').length <= parsedHeaderLengthMax;
  return isReadable && ctx.accepts('text/html', 'text/markdown') === 'text/markdown' ? markdownPath : path;
}

async function renderDocs(deps: DocsDeps, files: PageFiles, baseUrl: string) {
  const [{ renderPage }, { writeDocuments }] = await Promise.all([
    import('./page.ts'),
    import('../discovery/documents.ts'),
  ]);
  const probe = deps.operations.find(({ scope, method }) => scope === 'any' && method === 'GET');
  const options = {
    ...deps,
    document: await deps.openApiDocument({ version: '3.1', baseUrl }),
    probePath: probe ? restPrefix + probe.path : descriptionPath,
    docsPath,
    descriptionPath,
    baseUrl: baseUrl || placeholderBaseUrl,
    examples: readExamples(files),
  };
  const page = await toPageFile(indexName, Buffer.from(renderPage(options)));
  const documents = [...writeDocuments(options)].map(
    async ([path, { type, text }]) =>
      [path, { ...(await toPageFile(path, Buffer.from(text))), type }] as const,
  );
  return { page, documents: new Map(await Promise.all(documents)) };
}

const examplePrefix = 'example-';

type PageFiles = Awaited<ReturnType<typeof loadPageFiles>>;

const readExamples = (files: PageFiles): Example[] =>
  [...files]
    .filter(([name]) => name.startsWith(examplePrefix) && name.endsWith('.json'))
    .map(([name, { content }]) => {
      const { description } = JSON.parse(content.toString()) as { description: string }; // each example has one
      return { name: name.slice(examplePrefix.length, -'.json'.length), description };
    });
