/** The minimal projection of a subscription: nothing of the payment provider or of servers (contract, section 2). */
import { z } from 'zod';
import type { SubscriptionRecord } from '../../models/subscription.ts';
import { dateTime, presentMoment } from './date-time.ts';

export const Subscription = z
  .object({
    reference: z.string().describe('Opaque and random; nothing can be read from it.'),
    status: z.string().describe('Such as active or canceled.'),
    created_at: dateTime,
  })
  .meta({
    title: 'Subscription',
    examples: [
      {
        reference: 'sub_3f1d0c6a9b2e4875a6c1d0e9f8b7a654',
        status: 'active',
        created_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  });

export const presentSubscription = (subscription: SubscriptionRecord): z.infer<typeof Subscription> => ({
  reference: subscription.reference,
  status: subscription.status,
  created_at: presentMoment(subscription.createdAt),
});
