/** The host's webhooks get the events of all customers. Each belongs to the administrator who made it. */
import { webhookProcedures } from '../webhooks/webhooks.ts';

export const hostWebhooks = webhookProcedures({
  audience: 'host',
  scope: 'admin:webhooks',
  tag: 'Admin',
  prefix: '/admin',
  whose: "the host's",
  descriptions: {
    list: "Lists the webhooks that send the events of all customers to the host's own systems. Use it to review them, or to find out why one is off. No secret is shown.",
    create:
      'Creates a webhook for the events of all customers. Use it to connect a billing system or a staff channel to this service. The response is the only place that shows the secret. Each call adds one: an Idempotency-Key is ignored. To undo it, delete the webhook.',
    get: "Shows where one of the host's webhooks sends the events of all customers. Use it for the ETag that `If-Match` takes, or when a system of the host gets nothing.",
    change:
      "Updates one of the host's webhooks, only in the fields that you send. Use it when a system of the host moves or needs other events, and with `active: true` once it is back. `If-Match` protects what someone else changed meanwhile. To undo it, send the old values.",
    delete:
      "Deletes one of the host's webhooks and what is known of its deliveries. Use it when a system of the host is retired; while it is only down, `active: false` pauses the events.",
    rotateSecret:
      "Creates another signing secret for one of the host's webhooks and shows it once. Use it when someone who knew the old one leaves the host. Both sign every event for 24 hours, in which you can move the system to the new one. Each call creates one: an Idempotency-Key is ignored.",
    test: "Creates a `webhook.test` event, which holds no customer's data, and sends it at once. Use it to check that a system of the host verifies signatures and answers in time.",
    listDeliveries:
      'Lists what a system of the host was sent in the last 30 days, latest first, with each attempt. Use it to find the events that it missed, before you send them again.',
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
