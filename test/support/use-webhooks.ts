/** Calls each method of the stores of webhooks that no request reaches. */
import type { Models } from '../../models/index.ts';
import { newDelivery } from '../../models/webhook/deliveries.ts';
import type { Endpoint } from '../../models/webhook/endpoints.ts';

/** @param userId of a customer */
export async function useWebhooks(models: Models, userId: number): Promise<void> {
  const reply = { userId, keyId: '', ticketId: 1, text: 'sample', now: new Date() };
  await models.transaction((transaction) => models.tickets.replyWithin(reply, transaction));
  await models.transaction((transaction) => models.subscriptions.findMany(['provider'], transaction));
  const { webhooks, webhookEvents, webhookDeliveries, webhookSchedule, webhookState, webhookSecrets } =
    models;
  const now = new Date();
  const owner = { userId, audience: 'customer' as const };
  await webhookSecrets.unlock([Buffer.alloc(32, 'webhooks')]);
  await webhookState.replaceMaster((await webhookState.findMaster()) ?? '');
  await webhooks.has();
  const endpoint = await webhooks.add(
    {
      ...owner,
      url: 'https://example.com',
      format: 'standard',
      events: ['*'],
      description: null,
      keyId: 'key',
    },
    now,
  );
  if (!endpoint) throw new Error('the webhook was not added');
  const { _id } = endpoint;
  await webhooks.listAll(userId);
  await webhooks.listAll().catch(() => {}); // the addresses of the noise are not encrypted
  await webhooks.has('none');
  await webhookSchedule.listAudiences([_id]);
  await webhooks.listActive([userId]);
  await webhooks.listActivePage('', 10);
  webhookEvents.onRecorded(() => {});
  await webhookEvents.listConcerned('server.power');
  await models.users.listPanelUsers([userId]);
  await useServerWatches(models);
  await webhookEvents.isWanted(['server.power'], userId);
  const event = { type: 'server.power' as const, userId, at: now, data: {} };
  await webhookEvents.record([event]);
  await models.transaction((transaction) => webhookEvents.record([event], transaction));
  await (await webhookEvents.hold(event)).cancel();
  const events = await webhookEvents.claim(10, new Date(now.getTime() + 60_000));
  await webhookEvents.findMany(events.map((each) => each._id));
  await webhookDeliveries.addAll(events.map((each) => newDelivery(each, endpoint, now)));
  await webhookEvents.finishFanOut(events.map((each) => each._id));
  await webhookSchedule.wake([_id], now);
  await webhookSchedule.listDue(now, { limit: 10, without: [] });
  const visit = await webhookSchedule.visit(_id, now);
  const waiting = await webhookDeliveries.listWaiting(_id, 10);
  const [claimed] = await webhookDeliveries.claim(waiting, new Date());
  if (!visit || !claimed) throw new Error('nothing was claimed');
  const attempt = { at: now, status: 500, error: 'status' as const, durationMs: 1 };
  await webhookDeliveries.complete({ delivery: claimed, attempt, retryAt: now });
  await webhookSchedule.leave(visit, now);
  await webhookSchedule.leave(visit, null);
  await webhookSchedule.pause(endpoint, now);
  await webhookSchedule.recordFailure(endpoint, now);
  await webhookSchedule.recordSuccess({ ...endpoint, failingSince: now }, now);
  await webhookDeliveries.countWaiting(_id, 10);
  await webhookDeliveries.listOverdue(now, '', 10);
  await webhookDeliveries.oldestDue();
  await webhookDeliveries.drop([claimed._id]);
  await webhooks.dropPending([userId]);
  await webhooks.disable(_id, 'test');
  await useCredentials(models, { ...endpoint, isActive: true });
  await models.announcements.listPublishedBetween({ at: now, id: 0 }, now, 10);
  await models.apiKeys.listExpiring({ at: now, id: '' }, now, 10);
  webhooks.open(visit.endpoint);
  await webhookState.sweptUpTo('test', now);
  await webhookState.advanceSweep('test', now);
}

/** @param endpoint one that a key made which does not exist */
async function useCredentials({ credentials, transaction }: Models, endpoint: Endpoint): Promise<void> {
  const now = new Date();
  await credentials.settle([endpoint], now);
  await credentials.holdersOfRevived(endpoint, '', now);
  await credentials.revokeKey({ id: 'none' }, now);
  const { keyId: _id, userId } = endpoint;
  const ended = [{ _id, userId }];
  await transaction((session) => credentials.endLinks(ended, 'leaked', session));
  await credentials.endWebhooks(ended, 'leaked');
}

async function useServerWatches({ transaction, serverChanges, serverWatches }: Models): Promise<void> {
  serverChanges.note({ identifier: 'a1b2c3d4', isAccepted: true });
  await serverChanges.listNew();
  const lease = serverWatches.createLease(1_000);
  await lease.hold();
  await serverWatches.begin('a1b2c3d4', 'running');
  await serverWatches.findStates(['a1b2c3d4']);
  await serverWatches.keep(['a1b2c3d4']);
  const change = { from: 'running', to: 'offline' };
  await transaction((session) => serverWatches.change('a1b2c3d4', change, session));
  await lease.release();
}
