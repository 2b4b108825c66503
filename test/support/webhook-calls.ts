/** Calls about webhooks that several tests make. */

import { eventually } from './eventually.ts';
import type { TestService } from './service.ts';

/** Turns all events into deliveries, except notices that are collected for later. */
export const waitForFanOut = ({ connection }: Pick<TestService, 'connection'>) =>
  eventually(async () => {
    const tickets = await connection.collection('tickets').countDocuments({ facts: { $exists: true } });
    const waiting = { fanOutAt: { $exists: true }, type: { $ne: 'notices.collected' } };
    const events = await connection.collection('webhook_events').countDocuments(waiting);
    if (tickets + events > 0) throw new Error('some events are not fanned out');
  });

interface Delivery {
  id: string;
  event_id: string;
  type: string;
  status: string;
  attempts: { status: number | null; error: string | null }[];
  next_attempt_at: string | null;
}

export const createWebhookCalls = (service: Pick<TestService, 'call'>) => {
  const listDeliveries = async (key: string, id: string): Promise<Delivery[]> =>
    (await service.call('GET', `/webhooks/${id}/deliveries?limit=100`, { key })).body.deliveries;
  return {
    /** Adds a webhook, by default for all events; resolves to the webhook and its secret. */
    createWebhook: async (key: string, url: string, body: object = {}) =>
      (await service.call('POST', '/webhooks', { key, body: { url, events: ['*'], ...body } })).body,
    openTicket: (key: string, title = 'Lag') =>
      service.call('POST', '/tickets', { key, body: { title, message: 'Since noon.' } }),
    listDeliveries,
    /** Resolves to a webhook's only delivery after `count` attempts. */
    untilTried: (key: string, id: string, count = 1): Promise<Delivery> =>
      eventually(async () => {
        const [delivery] = await listDeliveries(key, id);
        if (delivery?.attempts.length !== count)
          throw new Error(`the delivery did not have ${count} attempts`);
        return delivery;
      }),
  };
};
