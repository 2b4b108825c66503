/** The OpenAPI 3.1 document: trpc-to-openapi generates it, and this folder adds what the generator cannot know. */
import type { AnyRouter } from '@trpc/server';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { notifications } from '../../routers/schemas/event.ts';
import { isAdminScope, type Scope, scopes } from '../../routers/scopes.ts';
import { type Tag, tagSentences } from '../../routers/tags.ts';
import { mapValues, pascalCase, type Schema, toJsonSchema } from '../json-schema.ts';
import { readOperations } from '../operations.ts';
import { productBrand } from '../pages/brand.ts';
import { restPrefix } from '../rest/rest.ts';
import { version } from '../version.ts';
import { introduction } from './introduction.ts';
import { completeOperation, type GeneratedOperation, type Parameter } from './operation.ts';
import { headers } from './responses.ts';
import { type CodeSample, writeSamples } from './samples.ts';
import { ComponentSchemas } from './schema.ts';
import { describeSchemes, type OAuthUrls } from './security.ts';

export type OpenApiDocument = ReturnType<typeof describeAll>;

export interface Host {
  name: string;
  supportEmail?: string | null | undefined;
}

export interface DocumentOptions {
  offeredScopes?: readonly Scope[];
  /** The absolute URL of the service, without a trailing slash. Without it, addresses are relative. */
  baseUrl?: string;
  /** As configured; `baseUrl` may come from a request instead. */
  publicUrl?: string | undefined;
  /** Null: apps cannot sign in. */
  oauth?: OAuthUrls | null;
  host?: Host;
}

export const createOpenApiDocument = (
  router: AnyRouter,
  { baseUrl = '', ...options }: DocumentOptions = {},
): OpenApiDocument => atBaseUrl(describeAll(router, options), baseUrl);

function describeAll(
  router: AnyRouter,
  { offeredScopes, publicUrl, oauth = null, host = productBrand }: DocumentOptions,
) {
  const { name, supportEmail } = host;
  const operations = readOperations(router, offeredScopes);
  const usedScopes = scopes.filter((scope) => operations.some((operation) => operation.scope === scope));
  const components = new ComponentSchemas(scopes.filter((scope) => !usedScopes.includes(scope)));
  const info = {
    title: `${name} API`,
    version,
    description: introduction(usedScopes),
    license: { name: 'MIT', identifier: 'MIT' },
    contact: {
      name: `${name} developer support`,
      url: contactUrl(''),
      ...(supportEmail && { email: supportEmail }),
    },
  };
  // The library requires a router with its own type of metadata. Ours has the same fields, and more.
  const generated = generateOpenApiDocument(router as never, { ...info, baseUrl: restPrefix });
  const paths = completePaths(generated.paths as GeneratedPaths, {
    components,
    publicUrl,
    operations,
    hasApps: oauth !== null,
  });
  const sendsWebhooks = operations.some(({ scope }) => scope === notifications.scope);
  return {
    openapi: generated.openapi,
    info,
    servers: serversAt(''),
    tags: tagsOf([...operations, ...(sendsWebhooks ? [notifications] : [])]),
    paths,
    ...(sendsWebhooks && { webhooks: describeWebhooks(components) }),
    components: { securitySchemes: describeSchemes(oauth, usedScopes), headers, schemas: components.schemas },
  };
}

export const atBaseUrl = (document: OpenApiDocument, baseUrl: string): OpenApiDocument => ({
  ...document,
  info: { ...document.info, contact: { ...document.info.contact, url: contactUrl(baseUrl) } },
  servers: serversAt(baseUrl),
  paths: mapValues(document.paths, (methods, path) =>
    mapValues(methods, (operation, method) => withSamples(operation, { baseUrl, path, method })),
  ),
});

const withSamples = (operation: DescribedOperation, target: Parameters<typeof writeSamples>[0]) =>
  isForOperators(operation) ? operation : { ...operation, 'x-codeSamples': writeSamples(target, operation) };

const contactUrl = (baseUrl: string) => baseUrl || '/';

const serversAt = (baseUrl: string) => [{ url: baseUrl + restPrefix }];

type DescribedOperation = ReturnType<typeof completeOperation> & { 'x-codeSamples'?: CodeSample[] };

export const isForOperators = (operation: { 'x-required-scope'?: string }): boolean =>
  isAdminScope(operation['x-required-scope'] ?? '');

type GeneratedPaths = Record<string, Record<string, GeneratedOperation>>;

function completePaths(generated: GeneratedPaths, context: Parameters<typeof completeOperation>[2]) {
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  for (const operation of context.operations) {
    const { path } = operation;
    const method = operation.method.toLowerCase();
    const written = generated[path]?.[method];
    if (!written) throw new Error(`${method} ${path} is not in the generated document`);
    paths[path] = { ...paths[path], [method]: completeOperation(operation, written, context) };
  }
  return paths;
}

const tagsOf = (tagged: readonly { tag: Tag }[]) =>
  (Object.keys(tagSentences) as Tag[]) // Object.keys widens to string
    .filter((name) => tagged.some(({ tag }) => tag === name))
    .map((name) => ({ name, description: tagSentences[name] }));

/** Defined by Standard Webhooks 1.0. */
const webhookParameters: Parameter[] = [
  header('webhook-id', "The event's id. It is the same for every attempt and redelivery.", {
    type: 'string',
  }),
  header('webhook-timestamp', 'When this attempt was made, in Unix seconds.', {
    type: 'integer',
    format: 'int64',
  }),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. For 24 hours after you rotate the secret, it has two signatures, separated by a space.',
    { type: 'string' },
  ),
];

const webhookResponses = {
  '2XX': { description: 'The event counts as delivered. We ignore the response body.' },
  '410': { description: 'We turn the webhook off.' },
  default: { description: 'We send the event again later.' },
};

type Webhooks = Record<string, { post: ReturnType<typeof describeEvent> }>;

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
