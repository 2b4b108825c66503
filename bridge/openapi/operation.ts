/** Completes one generated operation: names, parameters, body, responses, and what an agent may do. */
import { STATUS_CODES } from 'node:http';
import { idempotencyHours, idempotencyKeyLengthMax } from '../../models/bounds.ts';
import { pascalCase, type Schema } from '../json-schema.ts';
import { isDestructive, type Operation, operationIdOf, takesIdempotencyKey } from '../operations.ts';
import { takesIfMatch } from '../preconditions.ts';
import { canOmitBody } from '../rest/input.ts';
import { describeLinks } from './links.ts';
import { type DocumentedResponse, errorResponses, successResponse } from './responses.ts';
import { type ComponentSchemas, exampleOf } from './schema.ts';
import { describeSecurity } from './security.ts';

interface DocumentContext {
  components: ComponentSchemas;
  publicUrl: string | undefined;
  operations: readonly Operation[];
  hasApps: boolean;
}

export interface GeneratedOperation {
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: JsonContent };
  responses: { 200: { content: JsonContent } };
}

interface JsonContent {
  'application/json': { schema: Schema };
}

export function completeOperation(
  operation: Operation,
  generated: GeneratedOperation,
  { components, publicUrl, operations, hasApps }: DocumentContext,
) {
  const { scope, tag, summary, description, command, pagination } = operation;
  const parameters = completeParameters(operation, generated, components);
  const requestBody = completeBody(operation, generated, components);
  const success = {
    ...completeSuccess(operation, generated, components),
    ...(operation.links && { links: describeLinks(operation.links, operations) }),
  };
  const responses: Record<string, DocumentedResponse> = {
    [operation.status]: success,
    ...(operation.canCreate && { 201: { ...success, description: 'Created' } }),
    ...errorResponses(operation, components, publicUrl),
  };
  return {
    operationId: operationIdOf(operation),
    summary,
    description: `${description}\n\n${describeRequiredKey(operation)}`,
    tags: [tag],
    security: describeSecurity(operation, hasApps),
    ...(scope && scope !== 'any' && { 'x-required-scope': scope }),
    'x-agentic-access': describeAgenticAccess(operation),
    ...(needsConfirmation(operation) && { 'x-destructive': true }),
    ...(command && { 'x-command': command }),
    ...(pagination && { 'x-pagination': pagination }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses,
  };
}

/** A destructive write needs a person each time, or only in case of doubt if another call undoes the write. */
function describeAgenticAccess(operation: Operation) {
  const consequence = consequenceOf(operation);
  return {
    'action-class': consequence === 'read' ? 'connected' : 'acting',
    consequence,
    escalation: { 'human-in-the-loop': humanInTheLoop[consequence] },
  };
}

const needsConfirmation = (operation: Operation) =>
  operation.method === 'DELETE' || operation.needsConfirmation === true;

const humanInTheLoop = {
  read: 'none',
  write: 'none',
  physical: 'conditional',
  'safety-critical': 'required',
};

function consequenceOf(operation: Operation): keyof typeof humanInTheLoop {
  if (operation.type === 'query') return 'read';
  if (!isDestructive(operation)) return 'write';
  return operation.undo === 'call' ? 'physical' : 'safety-critical';
}

function describeRequiredKey({ scope }: Operation): string {
  if (scope === null) return 'Requires no key.';
  return scope === 'any' ? 'Requires any valid key.' : `Requires a key with the scope \`${scope}\`.`;
}

export interface Parameter {
  name: string;
  in: string;
  description: string | undefined;
  required: boolean;
  schema: Schema;
  example?: unknown;
}

function completeParameters(
  operation: Operation,
  { parameters = [] }: GeneratedOperation,
  components: ComponentSchemas,
): Parameter[] {
  const { path, rest } = exampleOf(operation);
  const examples: Record<string, unknown> = { ...path, ...rest };
  const own = parameters.map(({ name, in: place, required = false, schema: { description, ...schema } }) => ({
    name,
    in: place,
    description,
    required,
    schema: components.addRequest(schema, pascalCase(name)),
    // Clients import an example as the value to send, so an optional parameter has none.
    ...(required && name in examples && { example: examples[name] }),
  }));
  return [
    ...own,
    ...(takesIdempotencyKey(operation) ? [idempotencyParameter] : []),
    ...(takesIfMatch(operation) ? [ifMatchParameter] : []),
  ];
}

function completeBody(
  operation: Operation,
  { requestBody }: GeneratedOperation,
  components: ComponentSchemas,
) {
  if (!requestBody) return null;
  // The generator drops `additionalProperties: false` when it removes path parameters.
  const { examples: _, ...schema } = requestBody.content['application/json'].schema;
  if (Object.keys(schema.properties ?? {}).length === 0) return null;
  const body = { ...schema, additionalProperties: false };
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

function completeSuccess(
  operation: Operation,
  { responses }: GeneratedOperation,
  components: ComponentSchemas,
) {
  const { schema } = responses[200].content['application/json'];
  const added = components.addResponse(schema, outputName(operationIdOf(operation), schema));
  return successResponse(STATUS_CODES[operation.status] ?? '', operation, added);
}

function outputName(operationId: string, { properties = {} }: Schema): string {
  const lists = Object.values(properties).flatMap(({ type, items }) =>
    type === 'array' && items?.title !== undefined ? [items.title] : [],
  );
  return lists.length === 1 ? `${lists[0]}List` : `${pascalCase(operationId)}Result`;
}

const ifMatchParameter = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `ETag` from a read or an earlier write of this resource. If the resource has changed since, the response is 412 ' +
    'and nothing is done. Without this header, nothing is compared and the write is done.',
  required: false,
  schema: { type: 'string', minLength: 1 },
};

export const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'To make retries safe, send a new random text, such as a UUID, with each write. The write is done once. For ' +
    `${idempotencyHours} hours, retries with the same text get the first response, with \`Idempotency-Replayed\`. The same text with ` +
    'a different request gets 400. The text is scoped to the API key. The first response is stored if it is a success, or a 502 ' +
    'that leaves open whether the write happened. After any other error, or no response, send the request again.',
  required: false,
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: idempotencyKeyLengthMax,
    pattern: '^[\\x20-\\x7E]+$',
  },
};
