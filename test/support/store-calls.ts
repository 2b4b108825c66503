/** Calls store methods for webhooks and the support desk that no request in the test of queries reaches. */
import type { Models } from '../../models/index.ts';
import { newDelivery } from '../../models/outbox/deliveries.ts';
import type { DecryptedDestination } from '../../models/outbox/webhooks.ts';

/** @param userId of a customer */
export async function callWebhookStores(models: Models, userId: number): Promise<void> {
  await models.transaction((transaction) => models.subscriptions.findMany(['provider'], transaction));
  const { destinations, webhooks, events, deliveries, sharedState, vault } = models;
  const now = new Date();
  const owner = { userId, audience: 'customer' as const };
  await vault.unlock([Buffer.alloc(32, 'webhooks')]);
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
  await destinations.findMany([_id]);
  for (const userIds of [[userId], null]) await destinations.listActive(userIds, 1_000_000).next();
  events.onStored(() => {});
  await destinations.listSubscribedCustomers('server.power');
  await models.users.listForPanelLookup([userId]);
  await callServerWatches(models);
  await callNoticeStores(models, userId);
  const event = { type: 'server.power' as const, userId, at: now, data: {} };
  await events.record([event]);
  await models.transaction((transaction) => events.record([event], transaction));
  const held = await events.recordTentatively(event);
  held.confirm();
  await held.cancel();
  await events.forget([]);
  const taken = await events.takeWaiting(10, new Date(now.getTime() + 60_000));
  await events.find(taken[0]?._id ?? '');
  await deliveries.addAll(taken.map((each) => newDelivery(each, endpoint, now)));
  await events.finishFanOut(taken);
  await deliveries.listDestinationsDue(now, { after: '', limit: 10 });
  const claimed = await deliveries.claim(_id, new Date());
  if (!claimed) throw new Error('nothing was claimed');
  await deliveries.release(claimed, now);
  const again = await deliveries.claim(_id, new Date());
  if (!again) throw new Error('nothing was released');
  const attempt = { at: now, status: 500, error: 'status' as const, durationMs: 1 };
  await deliveries.complete({ delivery: again, attempt, retryAt: now });
  await deliveries.deleteClaimed(again);
  await webhooks.failWaitingIfOff(_id);
  await destinations.pause(endpoint, now);
  await destinations.recordFailure(endpoint, now);
  await destinations.recordSuccess({ ...endpoint, failingSince: now }, now);
  await deliveries.countWaiting(_id, 10);
  for (const isMail of [false, true]) await deliveries.oldestDue({ isMail });
  await deliveries.countWaitingMail(10);
  await deliveries.failWaiting(_id, now);
  await webhooks.invalidateEarlierDeliveries([userId]);
  await webhooks.disable(_id, 'test');
  await callCredentials(models, { ...endpoint, isActive: true });
  await models.announcements.listPublishedBetween({ at: now, id: 0 }, now, 10);
  await models.apiKeys.listExpiring({ at: now, id: '' }, now, 10);
  webhooks.decryptAddress((await destinations.findMany([_id]))[0] ?? endpoint);
  await sharedState.findPosition('test', now);
  await sharedState.advance('test', now);
}

export async function callDeskStores(
  { staffTexts, tickets, transaction }: Models,
  userId: number,
): Promise<void> {
  await tickets.assign({ ticketId: 1, from: null, to: userId });
  await tickets.searchDetails({ assigneeId: userId, limit: 10 });
  tickets.markRead({ ticketId: 1, number: 1 });
  await tickets.countUnread(userId);
  await tickets.countWaiting();
  const text = { userId, title: '', text: 'Asks often.', createdAt: new Date() };
  await transaction(async (session) => {
    for (const id of [1, 1, 0]) await staffTexts.add({ id, userId }, text, session);
    const [answer] = await staffTexts.list(0, session);
    await staffTexts.remove(0, answer?.id ?? '', session);
  });
}

async function callNoticeStores({ notices, users, events }: Models, userId: number): Promise<void> {
  const at = new Date();
  const kind = 'ticket_answered' as const;
  await notices.applySettings(['customer', 'host'], at);
  await notices.applySettings([], at);
  await notices.isOn();
  await notices.turnOff();
  await users.changeNotices(userId, { off: [kind] });
  await notices.readUnsubscription(await notices.signUnsubscription({ userId, kind }));
  const item = { id: 'dlv_0', text: 'sample', path: '/account', kind };
  const data = { audience: 'customer', former_email: null } as const;
  for (const _ of [1, 2]) await events.addToCollected({ userId, user: null, at, data }, item);
}

/** @param endpoint one of a key that does not exist */
async function callCredentials(
  { credentials, webhooks, transaction }: Models,
  endpoint: DecryptedDestination,
) {
  const now = new Date();
  await credentials.mayReceive(endpoint, now);
  await credentials.endExpired([endpoint], now);
  await credentials.isLive('none', now);
  await transaction((session) => credentials.revokeKey({ id: 'none' }, now, session));
  const key = { _id: 'none', userId: endpoint.userId };
  await transaction((session) => webhooks.moveToSuccessor(key, 'other', session));
  await transaction((session) => credentials.endDependents([key], 'leaked', session));
}

async function callServerWatches({ transaction, serverChanges, serverWatches }: Models): Promise<void> {
  serverChanges.record({ identifier: 'a1b2c3d4', ownerId: null, isAccepted: true });
  await serverChanges.listNew();
  const lease = serverWatches.createLease(1_000);
  await lease.takeOrRenew();
  await serverWatches.begin('a1b2c3d4', 'running');
  await serverWatches.keep(['a1b2c3d4']);
  const change = { from: 'running', to: 'offline' };
  await transaction((session) => serverWatches.change('a1b2c3d4', change, session));
  await lease.release();
}
