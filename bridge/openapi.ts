/** The OpenAPI 3.1 document of the catalogue, with true statuses and the contract's error envelope. */
import type { AnyRouter } from '@trpc/server';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import type { Row } from './catalogue.ts';
import { restPrefix } from './rest.ts';

export function createOpenApiDocument(router: AnyRouter, _rows: readonly Row[], publicUrl = '') {
  return generateOpenApiDocument(router, {
    title: 'gamehost API',
    version: '1.0.0',
    openApiVersion: '3.1.0',
    baseUrl: publicUrl + restPrefix,
  });
}
