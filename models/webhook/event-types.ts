/** The closed list of events that endpoints subscribe to (contract, part three, section 1). */
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

/** What an endpoint may subscribe to; `*` stands for all, those of later releases included. */
export type Subscription = SubscribableType | '*';

/** `webhook.test` is sent on request and cannot be subscribed to. */
export type EventType = SubscribableType | 'webhook.test';
