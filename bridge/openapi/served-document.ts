/** Serves the OpenAPI document with the URL at which the client reaches the service. */
import type { AnyRouter } from '@trpc/server';
import { cachedBaseUrlsMax } from '../../models/bounds.ts';
import { lazy, memoizeRecent } from '../../routers/support/memoize.ts';
import { createBaseUrlLimiter } from '../pages/page-files.ts';
import type { DocumentOptions } from './document.ts';

export interface DocumentRequest {
  version: '3.1' | '3.0';
  baseUrl: string;
}

/** Loading the generator would slow every start, so the first request does it. */
export function createServedDocument(router: AnyRouter, options: DocumentOptions) {
  const load = lazy(async () => {
    const { atBaseUrl, createOpenApiDocument } = await import('./document.ts');
    const document = createOpenApiDocument(router, options);
    const converted = lazy(async () => (await import('./downgrade.ts')).toOpenApi30(document));
    const at = (base: typeof document) =>
      memoizeRecent(cachedBaseUrlsMax, (baseUrl) => Object.freeze(atBaseUrl(base, baseUrl)));
    return { '3.1': lazy(async () => at(document)), '3.0': lazy(async () => at(await converted())) };
  });
  const limitBaseUrl = createBaseUrlLimiter();
  return async function servedDocument({ version, baseUrl }: DocumentRequest) {
    const versions = await load();
    return (await versions[version]())(limitBaseUrl(baseUrl));
  };
}
