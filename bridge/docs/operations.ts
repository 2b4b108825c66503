/** The operations of the OpenAPI document as a flat list. */
import type { OpenApiDocument } from '../openapi/document.ts';

export const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
      /** The element id that Swagger UI gives it. */
      anchor: `operations-${operation.tags[0]}-${operation.operationId}`,
    })),
  );

export type DocumentedOperation = ReturnType<typeof operationsOf>[number];
