/** The host's webhooks get the events of all customers. Each belongs to the administrator who made it. */
import { webhookProcedures } from '../webhooks/webhooks.ts';

export const hostWebhooks = webhookProcedures({
  audience: 'host',
  scope: 'admin:webhooks',
  tag: 'Admin',
  prefix: '/admin',
  whose: "the host's",
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
