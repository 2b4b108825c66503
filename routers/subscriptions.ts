/** The key owner's subscriptions. */
import { z } from 'zod';
import { NoInput, Summary } from './schemas/common.ts';
import { presentSubscription, Subscription } from './schemas/subscription.ts';
import { endpoint, router } from './trpc.ts';

export const subscriptionsRouter = router({
  list: endpoint({
    route: 'GET /subscriptions',
    scope: 'read:account',
    tag: 'Subscriptions',
    summary: 'List my subscriptions',
    description:
      "Lists the key owner's subscriptions, newest first. Use it to show what a customer pays for, and when each renews.",
    tool: {
      name: 'list_my_subscriptions',
      description: 'Lists what the user pays for at the host, newest first.',
    },
  })
    .input(NoInput)
    .output(z.object({ subscriptions: z.array(Subscription).describe('Newest first.'), summary: Summary }))
    .query(async ({ ctx }) => {
      const subscriptions = await ctx.models.subscriptions.list(ctx.caller.userId);
      return {
        subscriptions: subscriptions.map(presentSubscription),
        summary: { total: subscriptions.length },
      };
    }),
});
