/** Webhooks: a customer's own, and the host's below /admin. Both are these procedures; only scope, path and owner differ. */
import { z } from 'zod';
import type { Audience } from '../models/webhook/schema.ts';
import type { Caller } from './caller.ts';
import { Deleted, NoInput } from './schemas/common.ts';
import {
  Delivery,
  DeliveryListQuery,
  DeliveryPath,
  presentWebhook,
  Webhook,
  WebhookCreateRequest,
  WebhookPatchRequest,
  WebhookPath,
  WebhookSecret,
} from './schemas/webhook.ts';
import type { Scope } from './scopes.ts';
import type { Tag } from './tags.ts';
import { endpoint, router } from './trpc.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listEndpoints,
  makerOf,
  redeliver,
  rotateSecret,
  sendTest,
} from './webhook-actions.ts';
import { toolOf } from './webhook-tools.ts';

interface WebhookKind {
  audience: Audience;
  scope: Scope;
  tag: Tag;
  /** Before /webhooks. */
  prefix: '' | '/admin';
  /** As in "List WHOSE webhooks". */
  whose: string;
}

/** Each delivery that arrives changes when the last did. */
const versioned = { except: ['last_success_at'] };
const webhookNotFound = { when: 'There is no such webhook.', message: 'Webhook not found' };
const isOff = 'The webhook is off.';
const SentDelivery = z.object({ delivery: Delivery });

const ownerOf = ({ userId }: Caller, { audience }: WebhookKind) => ({ userId, audience });

const pathOf = ({ prefix }: WebhookKind) => `${prefix}/webhooks` as const;
const onePathOf = ({ prefix }: WebhookKind) => `${prefix}/webhooks/{webhook_id}` as const;

/** The host's are named by their place in the router. */
const namedFor = ({ audience }: WebhookKind, operationId: string) =>
  audience === 'customer' ? { operationId } : {};

const listProcedure = (kind: WebhookKind) =>
  endpoint({
    scope: kind.scope,
    status: 200,
    openapi: {
      method: 'GET',
      path: pathOf(kind),
      tags: [kind.tag],
      summary: `List ${kind.whose} webhooks`,
      description: 'Lists webhooks, newest first, without their secrets.',
    },
    ...toolOf(kind.audience, 'list'),
  })
    .input(NoInput)
    .output(z.object({ webhooks: z.array(Webhook).describe('All webhooks of the user.') }))
    .query(async ({ ctx }) => {
      const endpoints = await listEndpoints(ctx, ownerOf(ctx.caller, kind));
      return { webhooks: endpoints.map(presentWebhook) };
    });

const createProcedure = (kind: WebhookKind) =>
  endpoint({
    scope: kind.scope,
    status: 201,
    versioned,
    hasSecretOutput: true,
    openapi: {
      method: 'POST',
      path: pathOf(kind),
      ...namedFor(kind, 'createWebhook'),
      tags: [kind.tag],
      summary: `Create one of ${kind.whose} webhooks`,
      description:
        'Creates a webhook, which gets events from now on; deleting it undoes this. Its secret is shown here only. An Idempotency-Key is ignored: each call creates a webhook.',
    },
    refusals: {
      bad_request: 'A field is not valid, the address may not be called, or there are too many webhooks.',
    },
  })
    .input(WebhookCreateRequest)
    .output(WebhookSecret)
    .mutation(({ ctx, input }) =>
      createWebhook(ctx, { ...ownerOf(ctx.caller, kind), ...makerOf(ctx.caller) }, input),
    );

const getProcedure = (kind: WebhookKind) =>
  endpoint({
    scope: kind.scope,
    status: 200,
    versioned,
    openapi: {
      method: 'GET',
      path: onePathOf(kind),
      ...namedFor(kind, 'getWebhook'),
      tags: [kind.tag],
      summary: `Get one of ${kind.whose} webhooks`,
      description: 'Shows a webhook without its secret, with its ETag.',
    },
    refusals: { not_found: webhookNotFound },
  })
    .input(WebhookPath)
    .output(z.object({ webhook: Webhook }))
    .query(({ ctx, input }) => getWebhook(ctx, ownerOf(ctx.caller, kind), input.webhook_id));

const changeProcedure = (kind: WebhookKind) =>
  endpoint({
    scope: kind.scope,
    status: 200,
    versioned,
    hasPrivateOutput: true,
    openapi: {
      method: 'PATCH',
      path: onePathOf(kind),
      ...namedFor(kind, 'changeWebhook'),
      tags: [kind.tag],
      summary: `Change one of ${kind.whose} webhooks`,
      description:
        'Changes the given fields; the previous ones undo it. `active: true` turns it on again. With `If-Match`, only the version that was read is changed.',
    },
    refusals: {
      bad_request: 'A field is not valid, or the address may not be called.',
      not_found: webhookNotFound,
    },
  })
    .input(WebhookPatchRequest)
    .output(z.object({ webhook: Webhook }))
    .mutation(({ ctx, input }) =>
      changeWebhook(ctx, { ...ownerOf(ctx.caller, kind), keyId: ctx.caller.keyId }, input),
    );

const deleteProcedure = (kind: WebhookKind) =>
  endpoint({
    scope: kind.scope,
    status: 200,
    openapi: {
      method: 'DELETE',
      path: onePathOf(kind),
      ...namedFor(kind, 'deleteWebhook'),
      tags: [kind.tag],
      summary: `Delete one of ${kind.whose} webhooks`,
      description: 'Deletes a webhook with its deliveries; it gets nothing more. This cannot be undone.',
    },
    refusals: { not_found: webhookNotFound },
  })
    .input(WebhookPath)
    .output(Deleted)
    .mutation(({ ctx, input }) => deleteWebhook(ctx, ownerOf(ctx.caller, kind), input.webhook_id));

const rotateSecretProcedure = (kind: WebhookKind) =>
  endpoint({
    scope: kind.scope,
    status: 200,
    versioned,
    hasSecretOutput: true,
    openapi: {
      method: 'POST',
      path: `${onePathOf(kind)}/rotate-secret`,
      ...namedFor(kind, 'rotateWebhookSecret'),
      tags: [kind.tag],
      summary: `Rotate the secret of one of ${kind.whose} webhooks`,
      description:
        'Gives the webhook a new secret, which is shown here only. For 24 hours requests are signed with both. This cannot be undone.',
    },
    refusals: { bad_request: 'It is a Discord webhook, which has no secret.', not_found: webhookNotFound },
  })
    .input(WebhookPath)
    .output(WebhookSecret)
    .mutation(({ ctx, input }) => rotateSecret(ctx, ownerOf(ctx.caller, kind), input.webhook_id));

const testProcedure = (kind: WebhookKind) =>
  endpoint({
    scope: kind.scope,
    status: 202,
    openapi: {
      method: 'POST',
      path: `${onePathOf(kind)}/test`,
      tags: [kind.tag],
      summary: `Test one of ${kind.whose} webhooks`,
      description: 'Sends `webhook.test` now, which cannot be undone. The deliveries show how it went.',
    },
    refusals: { bad_request: isOff, not_found: webhookNotFound },
    ...toolOf(kind.audience, 'test'),
  })
    .input(WebhookPath)
    .output(SentDelivery)
    .mutation(({ ctx, input }) => sendTest(ctx, ownerOf(ctx.caller, kind), input.webhook_id));

const listDeliveriesProcedure = (kind: WebhookKind) =>
  endpoint({
    scope: kind.scope,
    status: 200,
    openapi: {
      method: 'GET',
      path: `${onePathOf(kind)}/deliveries`,
      tags: [kind.tag],
      summary: `List the deliveries of one of ${kind.whose} webhooks`,
      description: 'Lists the deliveries of the last 30 days with their attempts, newest first.',
    },
    refusals: { bad_request: 'A query parameter is not valid.', not_found: webhookNotFound },
    ...toolOf(kind.audience, 'listDeliveries'),
  })
    .input(DeliveryListQuery)
    .output(
      z.object({
        deliveries: z.array(Delivery).describe('Newest first.'),
        has_more: z.boolean().describe('Whether there are older ones.'),
      }),
    )
    .query(({ ctx, input }) => listDeliveries(ctx, ownerOf(ctx.caller, kind), input));

const redeliverProcedure = (kind: WebhookKind) =>
  endpoint({
    scope: kind.scope,
    status: 202,
    openapi: {
      method: 'POST',
      path: `${onePathOf(kind)}/deliveries/{delivery_id}/redeliver`,
      tags: [kind.tag],
      summary: `Send an event again to one of ${kind.whose} webhooks`,
      description: 'Makes a new delivery of the event, with the same `webhook-id`. It cannot be undone.',
    },
    refusals: {
      bad_request: isOff,
      not_found: { when: 'There is no such webhook or delivery.', message: 'Webhook not found' },
    },
    ...toolOf(kind.audience, 'redeliver'),
  })
    .input(DeliveryPath)
    .output(SentDelivery)
    .mutation(({ ctx, input }) => redeliver(ctx, ownerOf(ctx.caller, kind), input));

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
});

export const webhooksRouter = router(customerWebhooks);
