/** The OpenAPI 3.1 document of the catalogue: read from the procedures by trpc-to-openapi, completed from the rows. */
import type { AnyRouter } from '@trpc/server';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { type Tag, tagSentences } from '../routers/tags.ts';
import type { Row } from './catalogue.ts';
import { errorSchema } from './openapi-error-codes.ts';
import { introduction } from './openapi-introduction.ts';
import { createOperation, type GeneratedOperation, securitySchemes } from './openapi-operation.ts';
import { headers } from './openapi-response.ts';
import { NamedSchemas, type Schema } from './openapi-schema.ts';
import { restPrefix } from './rest.ts';

export type OpenApiDocument = ReturnType<typeof createOpenApiDocument>;

/**
 * The document of a router whose rows are given; the same for the same router, however often it is made.
 * @param publicUrl where the service is reached, without a slash at the end; none makes the server's address relative
 */
export function createOpenApiDocument(router: AnyRouter, rows: readonly Row[], publicUrl = '') {
  const generated = generateOpenApiDocument(router, {
    title: 'gamehost API',
    version: '1.0.0',
    openApiVersion: '3.1.0',
    baseUrl: publicUrl + restPrefix,
  });
  const named = new NamedSchemas();
  const paths = createPaths(rows, generated.paths as GeneratedPaths, named); // reduced to what is taken over
  const schemas: Record<string, Schema> = { ...named.schemas, Error: errorSchema };
  return {
    openapi: generated.openapi,
    info: {
      ...generated.info,
      description: introduction(),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: generated.servers,
    tags: tagsOf(rows),
    paths,
    components: { securitySchemes, headers, schemas },
  };
}

type GeneratedPaths = Record<string, Record<string, GeneratedOperation>>;

function createPaths(rows: readonly Row[], generated: GeneratedPaths, named: NamedSchemas) {
  const paths: Record<string, Record<string, ReturnType<typeof createOperation>>> = {};
  for (const row of rows) {
    const method = row.method.toLowerCase();
    const operation = generated[row.path]?.[method];
    if (!operation) throw new Error(`${row.name} did not come out of trpc-to-openapi`);
    paths[row.path] = { ...paths[row.path], [method]: createOperation(row, operation, named) };
  }
  return paths;
}

const tagsOf = (rows: readonly Row[]) =>
  (Object.keys(tagSentences) as Tag[]) // Object.keys forgets its own keys
    .filter((name) => rows.some(({ openapi }) => openapi.tags.includes(name)))
    .map((name) => ({ name, description: tagSentences[name] }));
