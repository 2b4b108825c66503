/** Webhooks on the account page, which also shows who made each, and shows a secret again if its response was lost. */
import { z } from 'zod';
import { destinationsMax } from '../../models/bounds.ts';
import { subscribableTypes } from '../../models/outbox/event-types.ts';
import type { Audience } from '../../models/outbox/schema.ts';
import { hostWebhooks } from '../admin/webhooks.ts';
import type { SessionContext } from '../context.ts';
import { badRequest } from '../errors.ts';
import { dateTime, NoInput, presentMoment } from '../schemas/common.ts';
import { eventSentences } from '../schemas/event.ts';
import { router, sessionProcedure } from '../trpc.ts';
import { createWebhook, listWebhooks, rotateSecret } from '../webhooks/actions.ts';
import {
  presentWebhook,
  Webhook,
  WebhookCreateRequest,
  WebhookPath,
  WebhookSecret,
} from '../webhooks/webhook-schema.ts';
import { customerWebhooks, type webhookProcedures } from '../webhooks/webhooks.ts';

const OwnWebhook = Webhook.extend({
  made_by: z
    .string()
    .nullable()
    .describe('The name of the key or the app that made it; null when it was made on this page.'),
  failing_since: dateTime.nullable().describe('The first failed attempt since the last success.'),
});

const OwnWebhookList = z.object({
  webhooks: z.array(OwnWebhook),
  webhooks_max: z.int(),
  types: z
    .array(z.object({ type: z.enum(subscribableTypes), sentence: z.string() }))
    .describe('The event types that a webhook can subscribe to.'),
});

type ApiProcedures = ReturnType<typeof webhookProcedures>;

const pageProcedures = (audience: Audience, { change, delete: remove, ...api }: ApiProcedures) => {
  const procedure = audience === 'host' ? hostProcedure : sessionProcedure;
  return {
    list: procedure
      .input(NoInput)
      .output(OwnWebhookList)
      .query(async ({ ctx }) => {
        const endpoints = await listWebhooks(ctx, ownerOf(ctx, audience));
        const presentOwnWebhook = (endpoint: (typeof endpoints)[number]) => ({
          ...presentWebhook(endpoint),
          made_by: endpoint.madeBy,
          failing_since: endpoint.failingSince && presentMoment(endpoint.failingSince),
        });
        return {
          webhooks: endpoints.map(presentOwnWebhook),
          webhooks_max: destinationsMax[audience],
          types: subscribableTypes.map((type) => ({ type, sentence: eventSentences[type] })),
        };
      }),

    create: procedure
      .input(WebhookCreateRequest)
      .output(WebhookSecret)
      .mutation(({ ctx, input }) => createWebhook(ctx, ownerOf(ctx, audience), input)),

    rotateSecret: procedure
      .input(WebhookPath)
      .output(WebhookSecret)
      .mutation(({ ctx, input }) => rotateSecret(ctx, ownerOf(ctx, audience), input.webhook_id)),
    change,
    delete: remove,
    test: api.test,
    listDeliveries: api.listDeliveries,
    redeliver: api.redeliver,
  };
};

const hostProcedure = sessionProcedure.meta({ adminScope: 'admin:webhooks' });

export const accountWebhooksRouter = router({
  ...pageProcedures('customer', customerWebhooks),
  host: router(pageProcedures('host', hostWebhooks)),
});

function ownerOf({ caller, offeredScopes }: SessionContext, audience: Audience) {
  if (!offeredScopes.includes('write:webhooks')) throw badRequest('Webhooks are turned off');
  return { userId: caller.userId, audience };
}
