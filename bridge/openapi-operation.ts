/** One operation of the document: what trpc-to-openapi made of its procedure, completed with all that it does not know. */
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { Row } from './catalogue.ts';
import { takesIdempotencyKey } from './idempotency-key.ts';
import { errorResponses } from './openapi-errors.ts';
import { exampleOf } from './openapi-example.ts';
import { idempotencyParameter } from './openapi-idempotency.ts';
import { type DocumentedResponse, describeResponse, rateHeaders, replayHeaders } from './openapi-response.ts';
import type { NamedSchemas, Schema } from './openapi-schema.ts';

/** What trpc-to-openapi makes of a procedure, as far as we take it over; it knows no success but 200. */
export interface GeneratedOperation {
  parameters?: { in: string; name: string; schema: Schema }[];
  requestBody?: JsonContent;
  responses: { 200: JsonContent };
}

interface JsonContent {
  content: { 'application/json': { schema: Schema } };
}

/** The two forms in which a key is sent, either of which will do. */
export const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key in `Authorization: Bearer`. The recommended form.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key in a header of its own.',
  },
} as const;

export function createOperation(row: Row, generated: GeneratedOperation, named: NamedSchemas) {
  const { tags, summary, description } = row.openapi;
  const { parameters = [], requestBody } = generated;
  const success = describeSuccess(row, schemaOf(generated.responses[200]), named);
  const described = describeParameters(row, parameters, named);
  const responses: Record<string, DocumentedResponse> = { [row.status]: success, ...errorResponses(row) };
  return {
    tags,
    summary,
    description: `${description}\n\n${whoMayCall(row)}`,
    operationId: operationIdOf(row),
    ...(row.scope && row.scope !== 'any' && { 'x-required-scope': row.scope }),
    security: row.scope === null ? [] : Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    ...(described.length > 0 && { parameters: described }),
    ...(requestBody && { requestBody: describeBody(row, schemaOf(requestBody), named) }),
    responses,
  };
}

const schemaOf = ({ content }: JsonContent) => content['application/json'].schema;

function whoMayCall({ scope }: Row): string {
  if (scope === null) return 'Needs no key.';
  return scope === 'any' ? 'Any valid key will do.' : `Needs a key with the scope \`${scope}\`.`;
}

/** The name of the tool where there is one, so that an operation has one name everywhere; in the form of functions. */
const operationIdOf = ({ tool, name }: Row) =>
  (tool?.name ?? name).replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());

function describeParameters(
  row: Row,
  parameters: NonNullable<GeneratedOperation['parameters']>,
  named: NamedSchemas,
) {
  const examples = exampleOf(row).path;
  const own = parameters.map(({ name, in: place, schema: { description, ...schema } }) => ({
    name,
    in: place,
    description,
    required: place === 'path',
    schema: named.request(schema),
    ...(name in examples && { example: examples[name] }),
  }));
  return takesIdempotencyKey(row) ? [...own, idempotencyParameter] : own;
}

function describeBody(row: Row, { examples: _, ...schema }: Schema, named: NamedSchemas) {
  // trpc-to-openapi rebuilds an object with rules between its fields and forgets that it was strict.
  const isStrict = row.input.def.catchall instanceof z.ZodNever;
  const request = named.request({ ...schema, ...(isStrict && { additionalProperties: false }) });
  return {
    required: true,
    content: { 'application/json': { schema: request, example: exampleOf(row).rest } },
  };
}

function describeSuccess(row: Row, schema: Schema, named: NamedSchemas) {
  const headerNames = [...(row.scope === null ? [] : rateHeaders), ...replayHeaders(row)];
  return describeResponse(STATUS_CODES[row.status] ?? '', ['X-Request-Id', ...headerNames], {
    schema: named.response(schema),
  });
}
