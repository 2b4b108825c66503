/** The host's billing system puts and deletes subscriptions, by the payment provider's ids. */
import { z } from 'zod';
import { notFound } from '../errors.ts';
import { deleteSubscription, putSubscription } from '../events.ts';
import { Deleted } from '../schemas/common.ts';
import {
  presentSubscription,
  Subscription,
  SubscriptionPutRequest,
  SubscriptionQuery,
  toProvisionedSubscription,
} from '../schemas/subscription.ts';
import { writeOnce } from '../support/write-once.ts';
import { endpoint } from '../trpc.ts';

export const adminSubscriptions = {
  putSubscription: endpoint({
    route: 'PUT /admin/subscriptions/{provider_id}',
    undo: 'call',
    scope: 'admin:users',
    canCreate: true,
    tag: 'Admin',
    summary: 'Create or change a subscription',
    description:
      'Creates a subscription for a user, or updates it. Use it when a customer subscribes, or when anything about the subscription changes at your payment provider. Name, price and renewal keep their value if they are absent, and null removes them. The reference never changes. To undo it, send the previous values, or delete the new subscription.',
    refusals: {
      bad_request: 'A field is missing, empty, too long or unknown.',
      missing: ['User'],
    },
  })
    .input(SubscriptionPutRequest)
    .output(z.object({ subscription: Subscription }))
    .mutation(async ({ ctx, input }) => {
      const { externalId, ...subscription } = toProvisionedSubscription(input);
      const user = await ctx.models.users.findByExternalId(externalId);
      if (!user) throw notFound('User');
      const wanted = { ...subscription, userId: user._id };
      return writeOnce(ctx, async (transaction) => {
        const { subscription, isCreated } = await putSubscription(ctx, wanted, transaction);
        ctx.outcome.isCreated = isCreated;
        return { subscription: presentSubscription(subscription) };
      });
    }),

  deleteSubscription: endpoint({
    route: 'DELETE /admin/subscriptions/{provider_id}',
    undo: 'none',
    scope: 'admin:users',
    tag: 'Admin',
    summary: 'Delete a subscription',
    description:
      'Deletes a subscription, so that the customer no longer sees it. Use it for one that was added by mistake; if a subscription has ended, set its status instead.',
    refusals: { missing: ['Subscription'] },
  })
    .input(SubscriptionQuery)
    .output(Deleted)
    .mutation(({ ctx, input }) =>
      writeOnce(ctx, async (transaction) => {
        const isDeleted = await deleteSubscription(ctx, input.provider_id, transaction);
        if (!isDeleted) throw notFound('Subscription');
        return { deleted: true as const };
      }),
    ),
};
