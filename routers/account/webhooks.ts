/**
 * A customer's own webhooks on the account page, which tells who made each and repeats a secret whose response was lost;
 * else the API's operations. The host's are managed with a key.
 */
import { z } from 'zod';
import { destinationsMax } from '../../models/bounds.ts';
import type { Destination } from '../../models/webhook/destinations.ts';
import { subscribableTypes } from '../../models/webhook/event-types.ts';
import type { Context, SessionContext } from '../context.ts';
import { badRequest } from '../errors.ts';
import { dateTime, NoInput, presentMoment } from '../schemas/common.ts';
import { eventSentences } from '../schemas/event.ts';
import {
  presentWebhook,
  Webhook,
  WebhookCreateRequest,
  WebhookPath,
  WebhookSecret,
} from '../schemas/webhook.ts';
import { router, sessionProcedure } from '../trpc.ts';
import { createWebhook, listEndpoints, rotateSecret } from '../webhook-actions.ts';
import { webhooksRouter } from '../webhooks.ts';

const OwnWebhook = Webhook.extend({
  made_by: z
    .string()
    .nullable()
    .describe('The name of the key or the app that made it; null when it was made on this page.'),
  failing_since: dateTime.nullable().describe('The first failed attempt since the last success.'),
});

const { change, delete: remove, test, listDeliveries, redeliver } = webhooksRouter;

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
        webhooks_max: destinationsMax.customer,
        types: subscribableTypes.map((type) => ({ type, sentence: eventSentences[type] })),
      };
    }),

  create: sessionProcedure
    .meta({ hasPrivateOutput: true })
    .input(WebhookCreateRequest)
    .output(WebhookSecret)
    .mutation(({ ctx, input }) => createWebhook(ctx, { ...ownerOf(ctx), keyId: '' }, input)),

  rotateSecret: sessionProcedure
    .meta({ hasPrivateOutput: true })
    .input(WebhookPath)
    .output(WebhookSecret)
    .mutation(({ ctx, input }) => rotateSecret(ctx, ownerOf(ctx), input.webhook_id)),
  change,
  delete: remove,
  test,
  listDeliveries,
  redeliver,
});

/** @throws bad_request where webhooks are off */
function ownerOf({ caller, offeredScopes }: SessionContext) {
  if (!offeredScopes.includes('write:webhooks')) throw badRequest('Webhooks are turned off');
  return { userId: caller.userId, audience: 'customer' as const };
}

async function findMaker(
  { models, clock }: Context,
  { keyId, appName }: Destination,
): Promise<string | null> {
  if (keyId === '') return null;
  if (appName !== undefined) return appName;
  const key = await models.apiKeys.find(keyId);
  return (
    key?.name ??
    (await models.oauthGrants.find(keyId, new Date(clock())))?.app.name ??
    'a key that no longer exists'
  );
}
