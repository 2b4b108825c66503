/** The closed list of events that webhooks subscribe to (contract, part three, section 1). */
export const subscribableTypes = [
  'ticket.created',
  'ticket.replied',
  'ticket.status_changed',
  'announcement.published',
  'subscription.changed',
  'subscription.deleted',
  'key.created',
  'key.revoked',
  'key.expiring',
  'server.power',
  'server.state_changed',
] as const;

export type SubscribableType = (typeof subscribableTypes)[number];

/** What a webhook may subscribe to; `*` stands for all, those of later releases included. */
export type SubscribedType = SubscribableType | '*';

/** `webhook.test` is sent on request and cannot be subscribed to. */
export type EventType = SubscribableType | 'webhook.test';
