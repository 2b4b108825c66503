/** One operation of the OpenAPI document. */
import { STATUS_CODES } from 'node:http';
import { idempotencyHours, idempotencyKeyLengthMax } from '../../routers/idempotency.ts';
import { type Operation, takesIdempotencyKey } from '../operations.ts';
import { canOmitBody, takesBody } from '../rest/input.ts';
import { errorResponses } from './errors.ts';
import { type DocumentedResponse, describeResponse, rateHeaders, replayHeaders } from './response.ts';
import { type ComponentSchemas, exampleOf, pascalCase, type Schema, toJsonSchema } from './schema.ts';

/** The two headers that can carry a key. */
export const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key in `Authorization: Bearer`. Recommended.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key in `X-API-Key`.',
  },
} as const;

export function createOperation(operation: Operation, components: ComponentSchemas) {
  const { tags, summary, description } = operation.openapi;
  const operationId = operationIdOf(operation);
  const input = toJsonSchema(operation.input, 'input');
  const parameters = describeParameters(operation, input, components);
  const requestBody = describeBody(operation, input, components);
  const success = describeSuccess(operation, components);
  const responses: Record<string, DocumentedResponse> = {
    [operation.status]: success,
    ...(operation.canCreate && { 201: { ...success, description: 'Created' } }),
    ...errorResponses(operation, components),
  };
  return {
    tags,
    summary,
    description: `${description}\n\n${requiredKey(operation)}`,
    operationId,
    ...(operation.scope && operation.scope !== 'any' && { 'x-required-scope': operation.scope }),
    security: operation.scope === null ? [] : Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses,
  };
}

function requiredKey({ scope }: Operation): string {
  if (scope === null) return 'Requires no key.';
  return scope === 'any' ? 'Requires any valid key.' : `Requires a key with the scope \`${scope}\`.`;
}

/** The tool's name in camel case, so that an operation has one name in all protocols, unless it states its own. */
const operationIdOf = ({ openapi, tool, name }: Operation): string =>
  openapi.operationId ??
  (tool?.name ?? name).replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());

export interface Parameter {
  name: string;
  in: string;
  description: string | undefined;
  required: boolean;
  schema: Schema;
  example?: unknown;
}

function describeParameters(operation: Operation, input: Schema, components: ComponentSchemas): Parameter[] {
  const { path, rest } = exampleOf(operation);
  // Clients import an example as what to send, which is not for what may be left out.
  const required = Object.entries(rest).filter(([name]) => input.required?.includes(name));
  const examples = { ...path, ...Object.fromEntries(required) };
  const isParameter = (name: string) => operation.pathParameters.includes(name) || !takesBody(operation);
  const own = Object.entries(input.properties ?? {})
    .filter(([name]) => isParameter(name))
    .map(([name, { description, ...schema }]) => ({
      name,
      in: operation.pathParameters.includes(name) ? 'path' : 'query',
      description,
      required: input.required?.includes(name) ?? false,
      schema: components.addRequest(schema, pascalCase(name)),
      ...(name in examples && { example: examples[name] }),
    }));
  return takesIdempotencyKey(operation) ? [...own, idempotencyParameter] : own;
}

/** Null when all fields are in the path. */
function describeBody(operation: Operation, input: Schema, components: ComponentSchemas) {
  const { pathParameters } = operation;
  const inBody = ([name]: [string, unknown]) => !pathParameters.includes(name);
  const properties = Object.fromEntries(Object.entries(input.properties ?? {}).filter(inBody));
  if (!takesBody(operation) || Object.keys(properties).length === 0) return null;
  const { examples: _, required = [], ...schema } = input; // the example is beside the schema, without path parameters
  const requiredInBody = required.filter((name) => !pathParameters.includes(name));
  const body = { ...schema, properties, ...(requiredInBody.length > 0 && { required: requiredInBody }) };
  return {
    required: !canOmitBody(operation),
    content: {
      'application/json': {
        schema: components.addRequest(body, `${pascalCase(operationIdOf(operation))}Request`),
        example: exampleOf(operation).rest,
      },
    },
  };
}

function describeSuccess(operation: Operation, components: ComponentSchemas) {
  const headerNames = [...(operation.scope === null ? [] : rateHeaders), ...replayHeaders(operation)];
  const schema = toJsonSchema(operation.output, 'output');
  return describeResponse(STATUS_CODES[operation.status] ?? '', ['X-Request-Id', ...headerNames], {
    schema: components.addResponse(schema, outputName(operation, schema)),
  });
}

/** A list of titled items is named after them, any other output after its operation. */
function outputName(operation: Operation, { properties = {} }: Schema): string {
  const lists = Object.values(properties).flatMap(({ type, items }) =>
    type === 'array' && items?.title !== undefined ? [items.title] : [],
  );
  return lists.length === 1 ? `${lists[0]}List` : `${pascalCase(operationIdOf(operation))}Result`;
}

/** Without an example: API clients import it as a constant. */
export const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes retries safe: a new random text, such as a UUID, for each write. The write is done once, and retries with ' +
    `the same text get the first response for ${idempotencyHours} hours, with \`Idempotency-Replayed\`. The same text with another ` +
    'request is a 400. It is scoped to the API key. Stored are successes, and a 502 that leaves open whether the ' +
    'write happened; after any other error, or no response, send the request again.',
  required: false,
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: idempotencyKeyLengthMax,
    pattern: '^[\\x20-\\x7E]+$',
  },
};
