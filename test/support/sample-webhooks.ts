/** Webhooks with ids that requests choose. */
import { newRedelivery } from '../../models/outbox/deliveries.ts';
import type { DeliveryRecord, DestinationRecord } from '../../models/outbox/schema.ts';
import type { TestService } from './service.ts';

type WebhookWithDelivery = Pick<DestinationRecord, '_id' | 'userId' | 'audience'> & { deliveryId: string };

/** Replaces all of an owner's webhooks for the audience by one with an attempted delivery. */
export async function putWebhook(
  { models, connection }: TestService,
  named: WebhookWithDelivery,
): Promise<void> {
  const { deliveryId, ...endpoint } = named;
  const { _id, userId, audience } = endpoint;
  const now = new Date();
  const webhooks = connection.collection<DestinationRecord>('webhooks');
  await webhooks.deleteMany({ $or: [{ _id }, { userId, audience }] });
  await webhooks.insertOne({
    ...{ ...endpoint, url: '', format: 'standard', events: ['server.power'], description: null },
    ...{
      disabledReason: null,
      isActive: true,
      madeBy: null,
      keyId: '',
      setByKeyId: '',
      keyIds: null,
      secretVersion: 1,
      activeSince: now,
    },
    ...{
      previousSecretUntil: null,
      createdAt: now,
      lastSuccessAt: null,
      failingSince: null,
      failureCount: 0,
    },
  });
  const owned = { userId, audience, id: _id };
  const url = 'https://example.com/sample';
  await models.transaction((transaction) => models.webhooks.change(owned, { url }, { now, transaction }));
  await connection.collection<DeliveryRecord>('webhook_deliveries').deleteMany({ _id: deliveryId });
  await models.deliveries.removeOf(_id);
  const event = { _id: 'evt_sample', type: 'server.power' as const };
  const attempt = { at: now, status: 500, error: 'status' as const, durationMs: 1 };
  const delivery = newRedelivery(event, { _id, activeSince: now }, now);
  await models.deliveries.addAll([{ ...delivery, _id: deliveryId, attempts: [attempt] }]);
}
