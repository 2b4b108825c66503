/** The account page's procedures for a customer's own webhooks. The host's are managed with a key. */
import { z } from 'zod';
import { type Endpoint, endpointsMax } from '../../models/webhook/endpoints.ts';
import { subscribableTypes } from '../../models/webhook/event-types.ts';
import type { Context, SessionContext } from '../context.ts';
import { badRequest } from '../errors.ts';
import { Deleted, dateTime, NoInput, presentMoment } from '../schemas/common.ts';
import { eventSentences } from '../schemas/event.ts';
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
} from '../schemas/webhook.ts';
import { router, sessionProcedure } from '../trpc.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listEndpoints,
  redeliver,
  rotateSecret,
  sendTest,
} from '../webhook-actions.ts';

const OwnWebhook = Webhook.extend({
  made_by: z
    .string()
    .nullable()
    .describe('The name of the key or the app that made it; null when it was made on this page.'),
  failing_since: dateTime.nullable().describe('The first failed attempt since the last success.'),
});

const Sent = z.object({ delivery: Delivery });

export const accountWebhooksRouter = router({
  list: sessionProcedure
    .input(NoInput)
    .output(
      z.object({
        webhooks: z.array(OwnWebhook),
        webhooks_max: z.int(),
        types: z
          .array(z.object({ type: z.enum(subscribableTypes), sentence: z.string() }))
          .describe('What can be subscribed to.'),
      }),
    )
    .query(async ({ ctx }) => {
      const endpoints = await listEndpoints(ctx, ownerOf(ctx));
      const present = async (endpoint: (typeof endpoints)[number]) => ({
        ...presentWebhook(endpoint),
        made_by: await findMaker(ctx, endpoint),
        failing_since: endpoint.failingSince && presentMoment(endpoint.failingSince),
      });
      return {
        webhooks: await Promise.all(endpoints.map(present)),
        webhooks_max: endpointsMax.customer,
        types: subscribableTypes.map((type) => ({ type, sentence: eventSentences[type] })),
      };
    }),

  create: sessionProcedure
    .meta({ hasPrivateOutput: true })
    .input(WebhookCreateRequest)
    .output(WebhookSecret)
    .mutation(({ ctx, input }) => createWebhook(ctx, { ...ownerOf(ctx), keyId: '' }, input)),

  change: sessionProcedure
    .meta({ hasPrivateOutput: true })
    .input(WebhookPatchRequest)
    .output(z.object({ webhook: Webhook }))
    .mutation(({ ctx, input }) => changeWebhook(ctx, { ...ownerOf(ctx), keyId: '' }, input)),

  delete: sessionProcedure
    .input(WebhookPath)
    .output(Deleted)
    .mutation(({ ctx, input }) => deleteWebhook(ctx, ownerOf(ctx), input.webhook_id)),

  rotateSecret: sessionProcedure
    .meta({ hasPrivateOutput: true })
    .input(WebhookPath)
    .output(WebhookSecret)
    .mutation(({ ctx, input }) => rotateSecret(ctx, ownerOf(ctx), input.webhook_id)),

  test: sessionProcedure
    .input(WebhookPath)
    .output(Sent)
    .mutation(({ ctx, input }) => sendTest(ctx, ownerOf(ctx), input.webhook_id)),

  listDeliveries: sessionProcedure
    .input(DeliveryListQuery)
    .output(z.object({ deliveries: z.array(Delivery), has_more: z.boolean() }))
    .query(({ ctx, input }) => listDeliveries(ctx, ownerOf(ctx), input)),

  redeliver: sessionProcedure
    .input(DeliveryPath)
    .output(Sent)
    .mutation(({ ctx, input }) => redeliver(ctx, ownerOf(ctx), input)),
});

/** @throws bad_request where webhooks are off */
function ownerOf({ caller, offeredScopes }: SessionContext) {
  if (!offeredScopes.includes('write:webhooks')) throw badRequest('Webhooks are turned off');
  return { userId: caller.userId, audience: 'customer' as const };
}

async function findMaker({ models, clock }: Context, { keyId, appName }: Endpoint): Promise<string | null> {
  if (keyId === '') return null;
  if (appName !== undefined) return appName;
  const key = await models.apiKeys.find(keyId);
  return (
    key?.name ??
    (await models.oauthGrants.find(keyId, new Date(clock())))?.app.name ??
    'a key that no longer exists'
  );
}
