/** Responses show nothing about the payment provider or servers. */
import { z } from 'zod';
import type { ProvisionedSubscription } from '../../models/provisioning/store.ts';
import type { SubscriptionRecord } from '../../models/subscription.ts';
import { dateTime, describedLike, openEnum } from './common.ts';
import { createPick } from './pick.ts';
import { filledExactText, filledLine, lineOrNull } from './text.ts';
import { ExternalId } from './user.ts';

const exampleDetails = {
  name: 'Survival 8 GB',
  status: 'active',
  price: '€12.00 a month',
  renews_at: '2026-12-21T09:30:00.000Z',
};

export const Subscription = z
  .object({
    reference: z.string().describe("Identifies the subscription: random, and not the payment provider's id."),
    name: z.string().nullable().describe('The plan or product, in words for people; null if none.'),
    status: openEnum('SubscriptionStatus', ['active', 'canceled']).describe(
      "The payment provider's name for the status.",
    ),
    price: z
      .string()
      .nullable()
      .describe('The price with its currency and period, in words for people; null if none.'),
    renews_at: dateTime.nullable().describe('When it renews, or ends if it is canceled; null if unknown.'),
    created_at: dateTime.describe('When it was added here.'),
  })
  .meta({
    title: 'Subscription',
    description: 'A plan or product that the customer pays for.',
    examples: [
      {
        reference: 'sub_3f1d0c6a9b2e4875a6c1d0e9f8b7a654',
        ...exampleDetails,
        created_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  });

const providerId = filledExactText(191).describe(
  "The payment provider's id for the subscription; no response shows it.",
);

export const SubscriptionQuery = z
  .strictObject({ provider_id: providerId })
  .meta({ examples: [{ provider_id: 'sub_1NabcDEF' }] });

export const SubscriptionPutRequest = z
  .strictObject(
    describedLike(Subscription, {
      provider_id: providerId,
      user: ExternalId.describe("The subscriber's external_id."),
      status: filledLine(200).describe('For example active or canceled.'),
      name: lineOrNull(100).optional(),
      price: lineOrNull(100).optional(),
      renews_at: z.iso.datetime({ offset: true }).nullable().optional(),
    }),
  )
  .meta({
    title: 'SubscriptionPutRequest',
    examples: [{ provider_id: 'sub_1NabcDEF', user: 'customer-1042', ...exampleDetails }],
  });

export const presentSubscription: (subscription: SubscriptionRecord) => z.infer<typeof Subscription> =
  createPick(Subscription);

export const toProvisionedSubscription = ({
  provider_id: providerId,
  user: externalId,
  renews_at,
  ...fields
}: z.output<typeof SubscriptionPutRequest>): ProvisionedSubscription => ({
  providerId,
  externalId,
  ...fields,
  renewsAt: typeof renews_at === 'string' ? new Date(renews_at) : renews_at,
});
