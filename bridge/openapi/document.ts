/**
 * The OpenAPI 3.1 document of all operations, generated from their zod schemas and metadata.
 * trpc-to-openapi's generator is not called: it knows one status per operation, no shared schemas, no headers and no
 * closed objects, shares error texts between operations, and changes input schemas. Its metadata format is ours, and
 * test/bridge/openapi-generators.test.ts compares both generators' paths, methods and parameters.
 */
import { notifications } from '../../routers/schemas/event.ts';
import { scopes } from '../../routers/scopes.ts';
import { type Tag, tagSentences } from '../../routers/tags.ts';
import type { Operation } from '../operations.ts';
import { restPrefix } from '../rest/rest.ts';
import { version } from '../version.ts';
import { introduction } from './introduction.ts';
import { createOperation, type Parameter, securitySchemes } from './operation.ts';
import { headers } from './response.ts';
import { ComponentSchemas, pascalCase, type Schema, toJsonSchema } from './schema.ts';

export type OpenApiDocument = ReturnType<typeof createOpenApiDocument>;

/** @param baseUrl the absolute URL of the service, without a trailing slash; empty for relative addresses */
export function createOpenApiDocument(operations: readonly Operation[], baseUrl: string) {
  const needed = scopes.filter((scope) => operations.some((operation) => operation.scope === scope));
  const components = new ComponentSchemas(scopes.filter((scope) => !needed.includes(scope)));
  const paths = createPaths(operations, components);
  const isSending = operations.some(({ scope }) => scope === notifications.scope);
  return {
    openapi: '3.1.0',
    info: {
      title: 'gamehost API',
      version,
      description: introduction(needed),
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'gamehost developer support', url: contactUrl(baseUrl) },
    },
    servers: serversAt(baseUrl),
    tags: tagsOf(operations),
    paths,
    ...(isSending && { webhooks: describeWebhooks(components) }),
    components: { securitySchemes, headers, schemas: components.schemas },
  };
}

/** The same document for clients that reach the service at another URL. */
export const atBaseUrl = (document: OpenApiDocument, baseUrl: string): OpenApiDocument => ({
  ...document,
  info: { ...document.info, contact: { ...document.info.contact, url: contactUrl(baseUrl) } },
  servers: serversAt(baseUrl),
});

const contactUrl = (baseUrl: string) => baseUrl || '/';

const serversAt = (baseUrl: string) => [{ url: baseUrl + restPrefix }];

function createPaths(operations: readonly Operation[], components: ComponentSchemas) {
  const paths: Record<string, Record<string, ReturnType<typeof createOperation>>> = {};
  for (const operation of operations) {
    const described = createOperation(operation, components);
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: described };
  }
  return paths;
}

const tagsOf = (operations: readonly Operation[]) =>
  (Object.keys(tagSentences) as Tag[]) // Object.keys forgets its own keys
    .filter((name) => operations.some(({ openapi }) => openapi.tags.includes(name)))
    .map((name) => ({ name, description: tagSentences[name] }));

/** Of Standard Webhooks 1.0. */
const webhookParameters: Parameter[] = [
  header('webhook-id', "The event's id: the same for every attempt and redelivery.", { type: 'string' }),
  header('webhook-timestamp', 'Of this attempt, in Unix seconds.', { type: 'integer', format: 'int64' }),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two with a space between them in the 24 hours after a rotation of the secret.',
    { type: 'string' },
  ),
];

const webhookResponses = {
  '2XX': { description: 'The event is delivered. The body is not read.' },
  '410': { description: 'Turns the webhook off.' },
  default: { description: 'The event is sent again later.' },
};

type Webhooks = Record<string, { post: ReturnType<typeof describeEvent> }>;

/** The requests that the service itself sends. */
const describeWebhooks = (components: ComponentSchemas): Webhooks =>
  Object.fromEntries(
    notifications.events.map((event) => [event.type, { post: describeEvent(event, components) }]),
  );

function describeEvent(
  { type, sentence, body }: (typeof notifications.events)[number],
  components: ComponentSchemas,
) {
  const name = `${pascalCase(type)}Event`;
  return {
    tags: [notifications.tag],
    summary: type,
    description: sentence,
    operationId: `on${name}`,
    security: [],
    parameters: webhookParameters,
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: components.addResponse(toJsonSchema(body, 'output'), name) },
      },
    },
    responses: webhookResponses,
  };
}

function header(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'header', description, required: true, schema };
}
