/** The host's webhooks get the events of all customers. Each belongs to the administrator who made it. */
import { webhookProcedures } from '../webhooks/webhooks.ts';

export const hostWebhooks = webhookProcedures({
  audience: 'host',
  scope: 'admin:webhooks',
  tag: 'Admin',
  prefix: '/admin',
  whose: "the host's",
  descriptions: {
    list: "Lists the webhooks that send the events of all customers to the host's own systems. Use it to review them, or to find out why one is off. Secrets are not shown.",
    create:
      'Creates a webhook for the events of all customers. Use it to connect a billing system or a staff channel to this service. The response is the only place that shows the secret. Each call adds one: an Idempotency-Key is ignored. To undo it, delete the webhook.',
    get: "Shows where one of the host's webhooks sends the events of all customers. Use it when a system of the host receives nothing, or to get the ETag that `If-Match` takes.",
    change:
      "Updates one of the host's webhooks; fields that you omit stay as they are. Use it when a system of the host moves or needs other events, and with `active: true` once it works again. `If-Match` prevents overwriting someone else's change. To undo it, send the old values.",
    delete:
      "Deletes one of the host's webhooks and the records of its deliveries. Use it when a system of the host is retired; while it is only down, turn the webhook off with `active: false`.",
    rotateSecret:
      "Creates another signing secret for one of the host's webhooks and shows it once. Use it when someone who knew the old one leaves the host. For 24 hours, both secrets sign every event, so that you have time to configure the new one. Each call creates one: an Idempotency-Key is ignored.",
    test: "Creates a `webhook.test` event, which holds no customer's data, and sends it at once. Use it to check that a system of the host verifies signatures and answers in time.",
    listDeliveries:
      'Lists what was sent to a system of the host in the last 30 days, newest first, with each attempt. Use it to find the events that it missed, before you send them again.',
    redeliver:
      'Creates another delivery of an event that a system of the host missed. Use it once the system is back. The `webhook-id` is the same.',
  },
});

export const adminWebhooks = {
  listWebhooks: hostWebhooks.list,
  createWebhook: hostWebhooks.create,
  getWebhook: hostWebhooks.get,
  changeWebhook: hostWebhooks.change,
  deleteWebhook: hostWebhooks.delete,
  rotateWebhookSecret: hostWebhooks.rotateSecret,
  testWebhook: hostWebhooks.test,
  listWebhookDeliveries: hostWebhooks.listDeliveries,
  redeliverWebhookEvent: hostWebhooks.redeliver,
};
