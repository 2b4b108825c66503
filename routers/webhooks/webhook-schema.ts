/** Wire schemas for webhooks and their deliveries, in the owner's view. */
import { z } from 'zod';
import { type EventSelector, subscribableTypes } from '../../models/outbox/event-types.ts';
import {
  type AttemptError,
  attemptErrors,
  type DeliveryRecord,
  deliveryStatuses,
  webhookFormats,
} from '../../models/outbox/schema.ts';
import type { DecryptedDestination } from '../../models/outbox/webhooks.ts';
import {
  boundedUrl,
  dateTime,
  integer,
  openEnum,
  openEnumKeywords,
  pathName,
  presentMoment,
} from '../schemas/common.ts';
import { createPick } from '../schemas/pick.ts';
import { line } from '../schemas/text.ts';
import { chatRefusal, discordPath } from './chat-addresses.ts';

const subscriptions = [...subscribableTypes, '*'] as const satisfies readonly EventSelector[];

export const exampleWebhookId = 'whk_5f0c1d7ae2b94c3d8e6fa1b20c9d8e7f';
export const exampleDeliveryId = 'dlv_0a1b2c3d4e5f60718293a4b5c6d7e8f9';

const exampleWebhook = {
  id: exampleWebhookId,
  url: 'https://status.example.com/hooks/gamehost',
  format: 'standard' as const,
  events: ['ticket.replied', 'server.power'],
  description: 'Status page',
  active: true,
  disabled_reason: null,
  created_at: '2026-11-21T09:30:00.000Z',
  last_success_at: '2026-11-21T10:15:00.000Z',
};

const formatSentence =
  '`standard` is signed JSON (Standard Webhooks); `discord` posts messages to a Discord webhook.';
const eventsSentence = 'The types of events to send; `*` means all, including types added later.';

export const Webhook = z
  .object({
    id: z.string().describe('Identifies the webhook in paths.'),
    url: z
      .string()
      .describe(
        'The address without its secret parts: `...` stands for a query, and for the part after the id in a Discord address.',
      ),
    format: openEnum('WebhookFormat', webhookFormats).describe(formatSentence),
    events: z
      .array(
        openEnum('WebhookSubscription', subscriptions).describe('A type of events, or `*` for all types.'),
      )
      .describe(eventsSentence),
    description: z.string().nullable().describe("The owner's note; null if none."),
    active: z.boolean().describe('Whether events are sent to it.'),
    disabled_reason: z
      .string()
      .nullable()
      .describe('Why it was turned off; null while it is on, or if its owner turned it off.'),
    created_at: dateTime.describe('When it was added.'),
    last_success_at: dateTime.nullable().describe('When it last accepted an event; null if it never did.'),
  })
  .meta({ title: 'Webhook', description: 'An address that events are sent to.', examples: [exampleWebhook] });

const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

export const WebhookSecret = z
  .object({
    webhook: Webhook,
    secret: z
      .string()
      .nullable()
      .describe(
        'The secret that signs the requests. It is shown only here; null for discord, whose address is the secret.',
      ),
  })
  .meta({
    title: 'WebhookSecret',
    description: 'The webhook and its new secret.',
    examples: [{ webhook: exampleWebhook, secret: exampleSecret }],
  });

const exampleDelivery = {
  id: exampleDeliveryId,
  event_id: 'evt_9f8e7d6c5b4a39281706f5e4d3c2b1a0',
  type: 'ticket.replied',
  status: 'pending',
  attempts: [{ at: '2026-11-21T10:15:00.000Z', status: 503, error: 'status' as const, duration_ms: 87 }],
  next_attempt_at: '2026-11-21T10:15:05.000Z',
  created_at: '2026-11-21T10:15:00.000Z',
};

const errorMeanings: Record<AttemptError, string> = {
  timeout: 'no response in time',
  connection: 'no connection',
  tls: 'no secure connection',
  address: 'not public',
  redirect: 'not followed',
  status: 'not 2xx',
};
const errorList = attemptErrors.map((error) => `\`${error}\`: ${errorMeanings[error]}`).join('; ');

const DeliveryAttempt = z
  .object({
    at: dateTime.describe('When the attempt was made.'),
    status: z.int().nullable().describe('The HTTP status of the response; null if there was none.'),
    error: z
      .string()
      .nullable()
      .describe(`${errorList}. Null if the attempt succeeded.`)
      .meta(openEnumKeywords(attemptErrors)),
    reason: z
      .string()
      .optional()
      .describe('Why Discord refused the message; absent if it gave no reason, and for other webhooks.'),
    duration_ms: z.int().describe('How long the attempt took, in milliseconds.'),
  })
  .meta({ title: 'DeliveryAttempt', description: 'One request to the webhook, and how it ended.' });

export const Delivery = z
  .object({
    id: z.string().describe('Identifies the delivery in paths.'),
    event_id: z
      .string()
      .describe('The `webhook-id` header of its requests, the same for every attempt and redelivery.'),
    type: openEnum('EventType', [...subscribableTypes, 'webhook.test']).describe('The type of the event.'),
    status: openEnum('DeliveryStatus', deliveryStatuses).describe(
      'pending: more attempts follow. delivered: the receiver accepted it. failed: there are no more attempts.',
    ),
    attempts: z.array(DeliveryAttempt).describe('Oldest first.'),
    next_attempt_at: dateTime.nullable().describe('When the next attempt is due; null if none.'),
    created_at: dateTime.describe('When the event was queued for this webhook.'),
  })
  .meta({
    title: 'Delivery',
    description: 'The delivery of an event.',
    examples: [exampleDelivery],
  });

const url = boundedUrl({
  protocol: /^https?$/,
  error: ({ input }) =>
    input === undefined ? undefined : 'must be a URL such as https://status.example.com/hooks',
})
  .refine((value) => !/[/?]\.\.\.$/.test(value), {
    error: 'must be the whole address: replace the ... with the hidden part',
  })
  .refine((value) => !URL.canParse(value) || !hasCredentials(new URL(value)), {
    error: 'must not contain a user name or a password',
  })
  .refine((value) => chatRefusal(value) === null, {
    error: ({ input }) => chatRefusal(String(input)) ?? undefined,
  })
  .describe('Where to send events: an https address on the public internet.');

const hasCredentials = ({ username, password }: URL) => username !== '' || password !== '';

const events = z.array(z.enum(subscriptions)).min(1).max(20).describe(eventsSentence);

const description = line(200)
  .nullable()
  .describe('A note for yourself, up to 200 characters; null for none.');

export const WebhookCreateRequest = z
  .strictObject({
    url,
    events,
    format: z.enum(webhookFormats).default('standard').describe(formatSentence),
    description: description.default(null),
  })
  .meta({
    title: 'WebhookCreateRequest',
    examples: [
      {
        url: 'https://status.example.com/hooks/gamehost',
        events: ['ticket.replied', 'server.power'],
        description: 'Status page',
      },
    ],
  });

const webhookId = pathName().describe('Identifies the webhook.');

export const WebhookPath = z
  .strictObject({ webhook_id: webhookId })
  .meta({ examples: [{ webhook_id: exampleWebhookId }] });

export const WebhookPatchRequest = z
  .strictObject({
    webhook_id: webhookId,
    url: url.optional(),
    events: events.optional(),
    description: description.optional(),
    active: z
      .boolean()
      .describe('true turns it on again, without the events it missed; false turns it off.')
      .optional(),
  })
  .meta({
    title: 'WebhookPatchRequest',
    examples: [{ webhook_id: exampleWebhookId, events: ['*'], active: true }],
  });

export const DeliveryListQuery = z
  .strictObject({
    webhook_id: webhookId,
    status: z.enum(deliveryStatuses).describe('Only deliveries with this status.').optional(),
    before: z
      .string()
      .max(100)
      .regex(/^\w[\w-]{0,99}$/, 'must be the id of a delivery')
      .describe('The last id on the previous page.')
      .optional(),
    limit: integer(1, 100).default(50).describe('How many to return.'),
  })
  .meta({ examples: [{ webhook_id: exampleWebhookId }] });

export const DeliveryPath = z
  .strictObject({
    webhook_id: webhookId,
    delivery_id: pathName().describe('Identifies the delivery.'),
  })
  .meta({ examples: [{ webhook_id: exampleWebhookId, delivery_id: exampleDeliveryId }] });

const pickWebhook = createPick(Webhook);

export const presentWebhook = (webhook: DecryptedDestination): z.infer<typeof Webhook> => ({
  ...pickWebhook(webhook),
  url: maskUrl(webhook),
  active: webhook.isActive,
});

function maskUrl({ url: address }: Pick<DecryptedDestination, 'url'>): string {
  if (address === '') return '';
  const { origin, pathname, search } = new URL(address);
  const [shown] = discordPath.exec(pathname) ?? [];
  if (shown !== undefined) return `${origin}${shown}/...`;
  return `${origin}${pathname}${search === '' ? '' : '?...'}`;
}

/** Reasons by Discord's error code. The words are written here, because a receiver's own text is never shown to anyone. */
const discordReasons: Record<number, string> = {
  10003: 'the channel does not exist any more',
  10015: 'the webhook does not exist any more',
  50027: 'the token in the address is wrong',
  50083: 'the thread is archived',
  160005: 'the thread is locked',
  220001: 'the channel is a forum, which needs a thread: add ?thread_id=ID to the address',
  220004: 'a forum channel accepts no messages from this webhook',
};

const pickDelivery = createPick(Delivery);
const pickAttempt = createPick(DeliveryAttempt);

export const presentDelivery = (delivery: DeliveryRecord): z.infer<typeof Delivery> => ({
  ...pickDelivery(delivery),
  attempts: delivery.attempts.map((attempt) => ({
    ...pickAttempt(attempt),
    ...reasonOf(attempt),
  })),
  next_attempt_at: delivery.dueAt ? presentMoment(delivery.dueAt) : null,
});

const reasonOf = ({ discordCode: code }: DeliveryRecord['attempts'][number]) =>
  code === undefined ? {} : { reason: discordReasons[code] ?? `Discord's error ${code}` };
