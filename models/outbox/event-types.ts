/** The closed list of events that webhooks can subscribe to. */
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

/** `*` stands for all types, including those of later releases. */
export type EventSelector = SubscribableType | '*';

export const mailOnlyTypes = [
  'webhook.disabled',
  'app.connected',
  'password.changed',
  'email.changed',
  'user.deleted',
  'panel_user.removed',
  'factor.added',
  'factor.removed',
  'factors.reset',
  'recovery_code.used',
  'notices.collected',
  'link.requested',
  'user.invited',
] as const;

export type MailOnlyType = (typeof mailOnlyTypes)[number];

export type LinkMailType = Extract<MailOnlyType, 'link.requested' | 'user.invited'>;

/** A customer may turn these notices off; all other notices concern the security of the account. */
export const noticeKinds = [
  'ticket_answered',
  'ticket_closed',
  'key_expiring',
  'webhook_disabled',
  'sign_in_link',
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** `webhook.test` is sent on request and cannot be subscribed to. */
export const eventTypes = [...subscribableTypes, ...mailOnlyTypes, 'webhook.test'] as const;
export type EventType = (typeof eventTypes)[number];

export function includesType(types: readonly (EventSelector | MailOnlyType)[], type: EventType): boolean {
  if (type === 'webhook.test') return false;
  return types.includes(type) || (types.includes('*') && subscribableTypes.some((each) => each === type));
}
