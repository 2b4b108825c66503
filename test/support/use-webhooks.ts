/** Calls each method of the stores of webhooks that no request reaches. */
import type { Models } from '../../models/index.ts';
import { newDelivery } from '../../models/outbox/deliveries.ts';
import type { Destination } from '../../models/outbox/destinations.ts';

/** @param userId of a customer */
export async function useWebhooks(models: Models, userId: number): Promise<void> {
  await models.transaction((transaction) => models.subscriptions.findMany(['provider'], transaction));
  const { webhooks, webhookEvents, webhookDeliveries, sweepPositions, webhookSecrets } = models;
  const now = new Date();
  const owner = { userId, audience: 'customer' as const };
  await webhookSecrets.unlock([Buffer.alloc(32, 'webhooks')]);
  await webhooks.has();
  const endpoint = await models.transaction((transaction) =>
    webhooks.add(
      {
        ...owner,
        url: 'https://example.com',
        format: 'standard',
        events: ['*'],
        description: null,
        keyId: 'key',
      },
      now,
      transaction,
    ),
  );
  if (!endpoint) throw new Error('the webhook was not added');
  const { _id } = endpoint;
  await webhooks.listAll(userId);
  await webhooks.listAll().catch(() => {}); // the addresses of the noise are not encrypted
  await webhooks.has('none');
  await webhooks.findMany([_id]);
  for (const userIds of [[userId], null]) await webhooks.listActive(userIds, 1_000_000).next();
  webhookEvents.onStored(() => {});
  await webhooks.listConcerned('server.power');
  await models.users.listPanelUsers([userId]);
  await useServerWatches(models);
  await useNotices(models, userId);
  const event = { type: 'server.power' as const, userId, at: now, data: {} };
  await webhookEvents.record([event]);
  await models.transaction((transaction) => webhookEvents.record([event], transaction));
  const held = await webhookEvents.hold(event);
  held.confirm();
  await held.cancel();
  await webhookEvents.forget([]);
  const events = await webhookEvents.takeWaiting(10, new Date(now.getTime() + 60_000));
  await webhookEvents.find(events[0]?._id ?? '');
  await webhookDeliveries.addAll(events.map((each) => newDelivery(each, endpoint, now)));
  await webhookEvents.finishFanOut(events);
  await webhookDeliveries.listDestinationsDue(now, { after: '', limit: 10 });
  const claimed = await webhookDeliveries.claim(_id, new Date());
  if (!claimed) throw new Error('nothing was claimed');
  await webhookDeliveries.release(claimed, now);
  const again = await webhookDeliveries.claim(_id, new Date());
  if (!again) throw new Error('nothing was released');
  const attempt = { at: now, status: 500, error: 'status' as const, durationMs: 1 };
  await webhookDeliveries.complete({ delivery: again, attempt, retryAt: now });
  await webhookDeliveries.drop(again);
  await webhooks.dropWaiting(_id);
  await webhooks.pause(endpoint, now);
  await webhooks.recordFailure(endpoint, now);
  await webhooks.recordSuccess({ ...endpoint, failingSince: now }, now);
  await webhookDeliveries.countWaiting(_id, 10);
  for (const isMail of [false, true]) await webhookDeliveries.oldestDue({ isMail });
  await webhookDeliveries.countWaitingMail(10);
  await webhookDeliveries.failWaiting(_id, now);
  await webhooks.dropPending([userId]);
  await webhooks.disable(_id, 'test');
  await useCredentials(models, { ...endpoint, isActive: true });
  await models.announcements.listPublishedBetween({ at: now, id: 0 }, now, 10);
  await models.apiKeys.listExpiring({ at: now, id: '' }, now, 10);
  webhooks.open((await webhooks.findMany([_id]))[0] ?? endpoint);
  await sweepPositions.find('test', now);
  await sweepPositions.advance('test', now);
}

async function useNotices({ notices, webhookEvents }: Models, userId: number): Promise<void> {
  const at = new Date();
  const kind = 'ticket_answered' as const;
  await notices.settle(['customer', 'host'], at);
  await notices.settle([], at);
  await notices.isOn();
  await notices.turnOff();
  await notices.change(userId, { off: [kind] });
  await notices.readUnsubscription(await notices.signUnsubscription({ userId, kind }));
  const item = { id: 'dlv_0', text: 'sample', path: '/account', kind };
  const data = { audience: 'customer', former_email: null } as const;
  for (const _ of [1, 2]) await webhookEvents.collect({ userId, user: null, at, data }, item);
}

/** @param endpoint one of a key that does not exist */
async function useCredentials({ credentials, webhooks, transaction }: Models, endpoint: Destination) {
  const now = new Date();
  await credentials.mayReceive(endpoint, now);
  await credentials.endExpired([endpoint], now);
  await credentials.isLive('none', now);
  await transaction((session) => credentials.revokeKey({ id: 'none' }, now, session));
  const key = { _id: 'none', userId: endpoint.userId };
  await transaction((session) => webhooks.moveToSuccessor(key, 'other', session));
  await transaction((session) => credentials.endHoldings([key], 'leaked', session));
}

async function useServerWatches({ transaction, serverChanges, serverWatches }: Models): Promise<void> {
  serverChanges.note({ identifier: 'a1b2c3d4', ownerId: null, isAccepted: true });
  await serverChanges.listNew();
  const lease = serverWatches.createLease(1_000);
  await lease.hold();
  await serverWatches.begin('a1b2c3d4', 'running');
  await serverWatches.keep(['a1b2c3d4']);
  const change = { from: 'running', to: 'offline' };
  await transaction((session) => serverWatches.change('a1b2c3d4', change, session));
  await lease.release();
}
