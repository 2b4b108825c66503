/** The stores of webhooks, and the one way in which a write and its events become one transaction. */
import type { ClientSession, Connection } from 'mongoose';
import { isDuplicateKey } from '../support/writes.ts';
import type { Users } from '../user.ts';
import { WebhookDeliveries } from './deliveries.ts';
import { Webhooks } from './endpoints.ts';
import { WebhookEvents } from './events.ts';
import { WebhookSchedule } from './schedule.ts';
import { WebhookSecrets } from './secrets.ts';
import { State } from './state.ts';
import { Subscribers } from './subscribers.ts';

/** Concurrent transactions may create the same document; the next try sees what the other stored. */
const triesMax = 3;

export function createWebhookStores(connection: Connection, users: Users) {
  const webhookState = new State(connection);
  const webhookSecrets = new WebhookSecrets(webhookState);
  const subscribers = new Subscribers(connection, webhookState);
  const webhookDeliveries = new WebhookDeliveries(connection);
  const webhookEvents = new WebhookEvents(connection, { subscribers, users, secrets: webhookSecrets });
  const parts = { secrets: webhookSecrets, subscribers, deliveries: webhookDeliveries };
  return {
    webhooks: new Webhooks(connection, parts),
    webhookEvents,
    webhookDeliveries,
    webhookSchedule: new WebhookSchedule(connection),
    webhookState,
    webhookSecrets,
    /** Runs writes that are stored all or none, such as a change and its events. `run` may be called again. */
    async transaction<Outcome>(run: (transaction: ClientSession) => Promise<Outcome>): Promise<Outcome> {
      for (let tries = 1; ; tries += 1)
        try {
          const outcome = await connection.transaction(run);
          webhookEvents.announceCommit();
          return outcome;
        } catch (failure) {
          if (!isDuplicateKey(failure) || tries === triesMax) throw failure;
        }
    },
  };
}
