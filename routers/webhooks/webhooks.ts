/** Webhooks: a customer's own, and the host's below /admin. Both share these procedures; only scope, path and owner differ. */
import { z } from 'zod';
import { newDelivery, newRedelivery } from '../../models/outbox/deliveries.ts';
import type { Audience } from '../../models/outbox/schema.ts';
import type { Caller } from '../caller.ts';
import { notFound } from '../errors.ts';
import { Deleted, NoInput } from '../schemas/common.ts';
import type { Scope } from '../scopes.ts';
import { writeOnce } from '../support/write-once.ts';
import type { Tag } from '../tags.ts';
import { type Endpoint, endpoint, type Method, router } from '../trpc.ts';
import {
  addDelivery,
  changeWebhook,
  createWebhook,
  deleteWebhook,
  discordHasNoSecret,
  findActive,
  findWebhook,
  listWebhooks,
  makerOf,
  rotateSecret,
  webhookOff,
} from './actions.ts';
import {
  Delivery,
  DeliveryListQuery,
  DeliveryPath,
  presentDelivery,
  presentWebhook,
  Webhook,
  WebhookCreateRequest,
  WebhookPatchRequest,
  WebhookPath,
  WebhookSecret,
} from './webhook-schema.ts';

const customerDescriptions = {
  list: "Lists the key owner's webhooks, newest first, without their secrets. Use it to find a webhook, or to see why one is off.",
  create:
    "Creates a webhook that receives the key owner's events from now on; deleting it undoes this. Use it to act on events at once, rather than polling for changes. Its secret is shown only here. An Idempotency-Key is ignored: each call creates a webhook.",
  get: 'Shows a webhook without its secret. Use it to see why the webhook is off, or before a change: the ETag header is its version.',
  change:
    'Updates the given fields of a webhook; sending the previous values undoes it. Use it to receive other events, to change the address, or to turn the webhook on again with `active: true`. With `If-Match`, it changes only the version that you read.',
  delete:
    'Deletes a webhook and its deliveries. Use it when no program needs the events any more; to turn a webhook off for a while, set `active: false` instead.',
  rotateSecret:
    'Creates a new secret for a webhook, which is shown only here. Use it when the old secret may have leaked. For 24 hours, requests are signed with both the old and the new secret. An Idempotency-Key is ignored: each call creates a secret.',
  test: 'Creates a `webhook.test` event and sends it to the webhook now. Use it after you add or change a webhook; the list of deliveries shows the result.',
  listDeliveries:
    'Lists the deliveries of the last 30 days with their attempts, newest first. Use it when events do not arrive: each attempt shows how it failed.',
  redeliver:
    'Sends the event of a delivery again: creates a new delivery with the same `webhook-id`. Use it when the receiver missed the event and works again.',
};

interface WebhookKind {
  audience: Audience;
  scope: Scope;
  tag: Tag;
  prefix: '' | '/admin';
  whose: string;
  /** The kinds share no description, so that an agent that sees both can distinguish them. */
  descriptions: Record<keyof typeof customerDescriptions, string>;
}

/** `last_success_at` changes with every successful delivery. */
const versioned = { except: ['last_success_at'] };
const refusalWhenOff = { when: 'The webhook is off.', example: webhookOff() };
const SentDelivery = z.object({ delivery: Delivery });

const ownerOf = ({ userId }: Caller, { audience }: WebhookKind) => ({ userId, audience });

type WebhookEndpointDeclaration = Omit<Endpoint, 'route' | 'scope' | 'tag' | 'operationId'> & {
  method: Method;
  path: '' | `/${string}`;
  operationId?: string;
};

/** The host's webhooks are not tools and have no links, and their operation ids come from the router. */
function webhookEndpoint(
  kind: WebhookKind,
  { method, path, operationId, links, tool, ...declared }: WebhookEndpointDeclaration,
) {
  const { scope, tag, prefix } = kind;
  const named = kind.audience === 'customer' && {
    ...(operationId && { operationId }),
    ...(links && { links }),
    ...(tool && { tool }),
  };
  return endpoint({ route: `${method} ${prefix}/webhooks${path}`, scope, tag, ...declared, ...named });
}

const listProcedure = (kind: WebhookKind) =>
  webhookEndpoint(kind, {
    method: 'GET',
    path: '',
    links: { listWebhookDeliveries: 'webhooks.0.id' },
    summary: `List ${kind.whose} webhooks`,
    description: kind.descriptions.list,
    tool: {
      name: 'list_my_webhooks',
      description: "Lists the user's webhooks, and why one is off.",
    },
  })
    .input(NoInput)
    .output(z.object({ webhooks: z.array(Webhook).describe('Newest first.') }))
    .query(async ({ ctx }) => {
      const webhooks = await listWebhooks(ctx, ownerOf(ctx.caller, kind));
      return { webhooks: webhooks.map(presentWebhook) };
    });

const createProcedure = (kind: WebhookKind) =>
  webhookEndpoint(kind, {
    status: 201,
    versioned,
    hasSecretOutput: true,
    method: 'POST',
    path: '',
    undo: 'call',
    operationId: 'createWebhook',
    links: { testWebhook: 'webhook.id' },
    summary: `Add to ${kind.whose} webhooks`,
    description: kind.descriptions.create,
    refusals: {
      bad_request:
        'A field is not valid, the address is not allowed, or you have the maximum number of webhooks.',
    },
  })
    .input(WebhookCreateRequest)
    .output(WebhookSecret)
    .mutation(({ ctx, input }) =>
      createWebhook(ctx, { ...ownerOf(ctx.caller, kind), ...makerOf(ctx.caller) }, input),
    );

const getProcedure = (kind: WebhookKind) =>
  webhookEndpoint(kind, {
    versioned,
    method: 'GET',
    path: '/{webhook_id}',
    operationId: 'getWebhook',
    summary: `Get one of ${kind.whose} webhooks`,
    description: kind.descriptions.get,
    refusals: { missing: ['Webhook'] },
  })
    .input(WebhookPath)
    .output(z.object({ webhook: Webhook }))
    .query(async ({ ctx, input }) => ({
      webhook: presentWebhook(await findWebhook(ctx, ownerOf(ctx.caller, kind), input.webhook_id)),
    }));

const changeProcedure = (kind: WebhookKind) =>
  webhookEndpoint(kind, {
    versioned,
    method: 'PATCH',
    path: '/{webhook_id}',
    undo: 'call',
    operationId: 'changeWebhook',
    summary: `Change one of ${kind.whose} webhooks`,
    description: kind.descriptions.change,
    refusals: {
      bad_request: 'A field is not valid, or the address is not allowed.',
      missing: ['Webhook'],
    },
  })
    .input(WebhookPatchRequest)
    .output(z.object({ webhook: Webhook }))
    .mutation(({ ctx, input }) =>
      changeWebhook(ctx, { ...ownerOf(ctx.caller, kind), keyId: ctx.caller.keyId }, input),
    );

const deleteProcedure = (kind: WebhookKind) =>
  webhookEndpoint(kind, {
    method: 'DELETE',
    path: '/{webhook_id}',
    undo: 'none',
    operationId: 'deleteWebhook',
    summary: `Delete one of ${kind.whose} webhooks`,
    description: kind.descriptions.delete,
    refusals: { missing: ['Webhook'] },
  })
    .input(WebhookPath)
    .output(Deleted)
    .mutation(({ ctx, input }) => deleteWebhook(ctx, ownerOf(ctx.caller, kind), input.webhook_id));

const rotateSecretProcedure = (kind: WebhookKind) =>
  webhookEndpoint(kind, {
    versioned,
    hasSecretOutput: true,
    method: 'POST',
    path: '/{webhook_id}/rotate-secret',
    undo: 'none',
    destructive: true,
    operationId: 'rotateWebhookSecret',
    summary: `Rotate the secret of one of ${kind.whose} webhooks`,
    description: kind.descriptions.rotateSecret,
    refusals: {
      bad_request: {
        when: 'The webhook is a Discord webhook, which has no secret.',
        example: discordHasNoSecret(),
      },
      missing: ['Webhook'],
    },
  })
    .input(WebhookPath)
    .output(WebhookSecret)
    .mutation(({ ctx, input }) => rotateSecret(ctx, ownerOf(ctx.caller, kind), input.webhook_id));

const testProcedure = (kind: WebhookKind) =>
  webhookEndpoint(kind, {
    status: 202,
    method: 'POST',
    path: '/{webhook_id}/test',
    undo: 'none',
    summary: `Test one of ${kind.whose} webhooks`,
    description: kind.descriptions.test,
    refusals: { bad_request: refusalWhenOff, missing: ['Webhook'] },
    tool: {
      name: 'test_webhook',
      openWorld: true,
      description:
        'Sends a webhook.test event to a webhook now; this cannot be undone. list_webhook_deliveries shows whether the receiver accepted it.',
    },
  })
    .input(WebhookPath)
    .output(SentDelivery)
    .mutation(async ({ ctx, input }) => {
      const webhook = await findActive(ctx, ownerOf(ctx.caller, kind), input.webhook_id);
      const now = new Date(ctx.clock());
      return writeOnce(ctx, async (transaction) => {
        const event = await ctx.models.events.addTest(ctx.caller.userId, now, transaction);
        return addDelivery(ctx, newDelivery(event, webhook, now), transaction);
      });
    });

const listDeliveriesProcedure = (kind: WebhookKind) =>
  webhookEndpoint(kind, {
    method: 'GET',
    path: '/{webhook_id}/deliveries',
    pagination: { list: 'deliveries', parameter: 'before', field: 'id', size: 'limit', more: 'has_more' },
    summary: `List the deliveries of one of ${kind.whose} webhooks`,
    description: kind.descriptions.listDeliveries,
    refusals: { bad_request: 'A query parameter is not valid.', missing: ['Webhook'] },
    tool: {
      name: 'list_webhook_deliveries',
      description:
        'Lists the deliveries to a webhook in the last 30 days, newest first. Call it when events do not arrive.',
    },
  })
    .input(DeliveryListQuery)
    .output(
      z.object({
        deliveries: z.array(Delivery).describe('Newest first.'),
        has_more: z.boolean().describe('Whether there are older deliveries.'),
      }),
    )
    .query(async ({ ctx, input: { webhook_id: id, limit, ...page } }) => {
      await findWebhook(ctx, ownerOf(ctx.caller, kind), id);
      const found = await ctx.models.deliveries.list(id, { ...page, limit: limit + 1 });
      return { deliveries: found.slice(0, limit).map(presentDelivery), has_more: found.length > limit };
    });

const redeliverProcedure = (kind: WebhookKind) =>
  webhookEndpoint(kind, {
    status: 202,
    method: 'POST',
    path: '/{webhook_id}/deliveries/{delivery_id}/redeliver',
    undo: 'none',
    summary: `Send an event again to one of ${kind.whose} webhooks`,
    description: kind.descriptions.redeliver,
    refusals: {
      bad_request: refusalWhenOff,
      missing: ['Webhook', 'Delivery'],
    },
    tool: {
      name: 'redeliver_webhook_event',
      openWorld: true,
      description: 'Sends the event of a delivery again if its receiver missed it; this cannot be undone.',
    },
  })
    .input(DeliveryPath)
    .output(SentDelivery)
    .mutation(async ({ ctx, input: { webhook_id, delivery_id } }) => {
      const { models, clock } = ctx;
      const webhook = await findActive(ctx, ownerOf(ctx.caller, kind), webhook_id);
      const delivery = await models.deliveries.find(webhook_id, delivery_id);
      if (!delivery) throw notFound('Delivery');
      const event = { _id: delivery.eventId, type: delivery.type };
      const again = newRedelivery(event, webhook, new Date(clock()));
      return writeOnce(ctx, (transaction) => addDelivery(ctx, again, transaction));
    });

export const webhookProcedures = (kind: WebhookKind) => ({
  list: listProcedure(kind),
  create: createProcedure(kind),
  get: getProcedure(kind),
  change: changeProcedure(kind),
  delete: deleteProcedure(kind),
  rotateSecret: rotateSecretProcedure(kind),
  test: testProcedure(kind),
  listDeliveries: listDeliveriesProcedure(kind),
  redeliver: redeliverProcedure(kind),
});

export const customerWebhooks = webhookProcedures({
  audience: 'customer',
  scope: 'write:webhooks',
  tag: 'Webhooks',
  prefix: '',
  whose: 'my',
  descriptions: customerDescriptions,
});

export const webhooksRouter = router(customerWebhooks);
