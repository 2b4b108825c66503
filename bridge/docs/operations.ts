/** The operations of the document, flat, as the docs page lists them. */
import type { OpenApiDocument } from '../openapi.ts';

export const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
      /** Where Swagger UI shows it. */
      anchor: `operations-${operation.tags[0]}-${operation.operationId}`,
    })),
  );

export type DocumentedOperation = ReturnType<typeof operationsOf>[number];
