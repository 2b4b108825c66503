/** Turns a destination off, with the event that tells its owner. */
import type { Connection } from 'mongoose';
import type { WebhookDeliveries } from './deliveries.ts';
import type { WebhookEvents } from './events.ts';
import type { DestinationRecord } from './schema.ts';
import type { WebhookSecrets } from './secrets.ts';

export interface DisableDeps {
  deliveries: WebhookDeliveries;
  events: WebhookEvents;
  secrets: WebhookSecrets;
}

/** @param tried as it was tried; without, whatever it is now */
export type Disable = (id: string, disabledReason: string, tried?: DestinationRecord) => Promise<boolean>;

export function createDisable(connection: Connection, { deliveries, events, secrets }: DisableDeps): Disable {
  const destinations = connection.collection<DestinationRecord>('webhooks');
  return async (id, disabledReason, tried) => {
    const disabled = await connection.transaction(async (session) => {
      // Mail is turned off by the settings alone.
      const isWebhook = { isActive: true, format: { $ne: 'mail' as const } };
      const filter = { _id: id, ...(tried && asTried(tried)), ...isWebhook };
      const found = await destinations.findOneAndUpdate(filter, off(disabledReason), { session });
      const data = found && { webhook: shownOf(found, secrets), reason: disabledReason };
      const event = { type: 'webhook.disabled', userId: found?.userId ?? null, at: new Date() } as const;
      if (data) await events.record([{ ...event, data }], session);
      return found;
    });
    if (disabled) await deliveries.failWaiting(id, disabled.activeSince);
    return disabled !== null;
  };
}

/** Of its address only the host, as the rest may be a secret. */
function shownOf({ _id, description, url }: DestinationRecord, secrets: WebhookSecrets) {
  try {
    return { id: _id, description, host: new URL(secrets.opened.decryptUrl(_id, url)).host };
  } catch {
    return { id: _id, description, host: null };
  }
}

/** How an attempt ended says nothing of another address, or of what was turned on again. */
export const asTried = ({ _id, url, activeSince }: DestinationRecord) => ({ _id, url, activeSince });

export const off = (disabledReason: string | null) => ({ $set: { isActive: false, disabledReason } });
