/** The `webhooks` of the OpenAPI document: the requests that the service itself sends. */
import { notifications } from '../../routers/schemas/event.ts';
import type { Parameter } from './operation.ts';
import { type ComponentSchemas, pascalCase, type Schema, toJsonSchema } from './schema.ts';

/** Of Standard Webhooks 1.0. */
const parameters: Parameter[] = [
  header('webhook-id', "The event's id: the same for every attempt and redelivery.", { type: 'string' }),
  header('webhook-timestamp', 'Of this attempt, in Unix seconds.', { type: 'integer', format: 'int64' }),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two with a space between them in the 24 hours after a rotation of the secret.',
    { type: 'string' },
  ),
];

const responses = {
  '2XX': { description: 'The event is delivered. The body is not read.' },
  '410': { description: 'Turns the webhook off.' },
  default: { description: 'The event is sent again later.' },
};

type Webhooks = Record<string, { post: ReturnType<typeof describeEvent> }>;

export const describeWebhooks = (components: ComponentSchemas): Webhooks =>
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
    parameters,
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: components.addResponse(toJsonSchema(body, 'output'), name) },
      },
    },
    responses,
  };
}

function header(name: string, description: string, schema: Schema): Parameter {
  return { name, in: 'header', description, required: true, schema };
}
