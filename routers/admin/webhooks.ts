/** The host's webhooks, which get the events of all customers and belong to the administrator who made them. */
import { webhookProcedures } from '../webhooks.ts';

const procedures = webhookProcedures({
  audience: 'host',
  scope: 'admin:webhooks',
  tag: 'Admin',
  prefix: '/admin',
  whose: "the host's",
});

export const adminWebhooks = {
  listWebhooks: procedures.list,
  createWebhook: procedures.create,
  getWebhook: procedures.get,
  changeWebhook: procedures.change,
  deleteWebhook: procedures.delete,
  rotateWebhookSecret: procedures.rotateSecret,
  testWebhook: procedures.test,
  listWebhookDeliveries: procedures.listDeliveries,
  redeliverWebhookEvent: procedures.redeliver,
};
