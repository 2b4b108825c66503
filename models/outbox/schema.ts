/** The stored documents of webhooks and mail: destinations, events, and deliveries of events to destinations. */
import { type Connection, Schema } from 'mongoose';
import { defineCollection, defineSchema, type RecordOf } from '../support/collection.ts';
import { eventTypes, mailOnlyTypes, subscribableTypes } from './event-types.ts';

/** A `customer` destination gets the events of its owner, a `host` destination those of all customers. */
export const audiences = ['customer', 'host'] as const;
export type Audience = (typeof audiences)[number];

export const webhookFormats = ['standard', 'discord'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

const destinationFormats = [...webhookFormats, 'mail'] as const;

/** Destinations of mail: notices to customers, sign-in links, the host's support. Links must not wait behind notices. */
export const mailIds = { customer: 'mail_customers', links: 'mail_links', host: 'mail_support' } as const;

/** The `userId` of a destination that serves every customer. */
export const everyCustomer = 0;

const destinationSchema = defineSchema({
  /** `whk_` and 32 hexadecimal digits. */
  _id: { type: String, required: true },
  userId: { type: Number, required: true },
  audience: { type: String, enum: audiences, required: true },
  /** The encrypted address; empty for mail, whose recipient is looked up when the mail is sent. */
  url: { type: String, required: true },
  format: { type: String, enum: destinationFormats, required: true },
  events: { type: [{ type: String, enum: [...subscribableTypes, '*', ...mailOnlyTypes] }], required: true },
  description: { type: String, default: null },
  /** Why the destination is off; null while it is on, or if its owner turned it off. */
  disabledReason: { type: String, default: null },
  isActive: { type: Boolean, required: true },
  /** The name of the key or the app that made the destination; null if the account page did. */
  madeBy: { type: String, default: null },
  /**
   * The key, or the app's grant, that the webhook belongs to and ends with. Empty: the account page set its address. Null: the
   * key has ended, and the webhook belongs to whoever turns it on again.
   */
  keyId: { type: String, default: null },
  /** The key, or the grant, that set the address. Since then, rotations may have moved the webhook to successors. */
  setByKeyId: { type: String, default: null },
  /** Always null; in version 12, a list. Migration 11 may run again, and treats webhooks without this field as older ones. */
  keyIds: { type: [String], default: null },
  /** Each rotation of the signing secret increments the version. */
  secretVersion: { type: Number, required: true },
  /** Until then, the previous secret signs, too. */
  previousSecretUntil: { type: Date, default: null },
  /**
   * When the destination started to get events: when it was created or turned on again, or when its owner's rights changed. The
   * value grows with each change, whatever the clocks say. Deliveries with an earlier value are no longer sent.
   */
  activeSince: { type: Date, required: true },
  createdAt: { type: Date, required: true },
  lastSuccessAt: { type: Date, default: null },
  /** When the first failure since the last success was, and how many failures there were. */
  failingSince: { type: Date, default: null },
  failureCount: { type: Number, required: true },
  /** No attempt starts before this time, because the receiver's limit is used up. */
  pausedUntil: { type: Date, allowNull: false },
})
  .index({ userId: 1, audience: 1, createdAt: -1, _id: -1 })
  // This index serves the host's destinations, and events that concern all customers.
  .index({ isActive: 1, audience: 1, _id: 1 });

export type DestinationRecord = RecordOf<typeof destinationSchema>;

export const neverFailed = { failingSince: null, failureCount: 0 };

export const newDestinationState = (now: Date) => ({
  ...{ isActive: true, disabledReason: null, ...neverFailed, lastSuccessAt: null },
  ...{ secretVersion: 1, previousSecretUntil: null, activeSince: now, createdAt: now, keyIds: null },
});

const expireAfterSeconds = 30 * 24 * 60 * 60;

const eventUserSchema = defineSchema({
  id: { type: Number, required: true },
  email: { type: String, required: true },
  externalId: { type: String, default: null },
  nickname: { type: String, default: null },
});

export type EventUser = RecordOf<typeof eventUserSchema>;

const eventSchema = defineSchema({
  _id: { type: String, required: true },
  type: { type: String, enum: eventTypes, required: true },
  /** The customer concerned; null: all customers. */
  userId: { type: Number, default: null },
  at: { type: Date, required: true },
  /** The data that the customer could see at that time; each event type has its own fields. */
  data: { type: new Schema<object>({}, { _id: false }), required: true },
  /** Whether staff caused the event; absent if no notice depends on it. */
  isByStaff: { type: Boolean, allowNull: false },
  /** The customer, for the host's destinations; null if no such destination gets the event. */
  user: { type: eventUserSchema, default: null },
  /** When the next process may turn the event into deliveries; absent when a process has done so. */
  fanOutAt: { type: Date, allowNull: false },
  /** The event is kept for 30 days from then, and so are the bodies of its deliveries. */
  storedAt: { type: Date, required: true },
})
  .index({ storedAt: 1 }, { expireAfterSeconds })
  .index({ fanOutAt: 1 }, { sparse: true });

export type EventRecord = RecordOf<typeof eventSchema>;

/** A closed list, which reveals nothing about the network or the receiver. */
export const attemptErrors = ['timeout', 'connection', 'tls', 'address', 'redirect', 'status'] as const;
export type AttemptError = (typeof attemptErrors)[number];

const attemptSchema = defineSchema({
  at: { type: Date, required: true },
  /** Null when there was no response. */
  status: { type: Number, default: null },
  error: { type: String, enum: attemptErrors, default: null },
  discordCode: { type: Number, allowNull: false },
  smtpReply: { type: String, allowNull: false },
  durationMs: { type: Number, required: true },
});

export type AttemptRecord = RecordOf<typeof attemptSchema>;

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const deliverySchema = defineSchema({
  /** Derived from event and destination, so a repeated fan-out creates no second delivery; random for a redelivery. */
  _id: { type: String, required: true },
  eventId: { type: String, required: true },
  /** The destination's id. */
  endpointId: { type: String, required: true },
  type: { type: String, enum: eventTypes, required: true },
  /** The destination's `activeSince` when the delivery was created. */
  activeSince: { type: Date, required: true },
  status: { type: String, enum: deliveryStatuses, required: true },
  attempts: { type: [attemptSchema], required: true },
  /** When the delivery may be claimed; a claim moves this to the end of its lease. Absent when no attempt is pending. */
  dueAt: { type: Date, allowNull: false },
  lease: { type: String, allowNull: false },
  createdAt: { type: Date, required: true },
})
  .index({ createdAt: 1 }, { expireAfterSeconds })
  .index({ endpointId: 1, createdAt: -1, _id: -1 })
  .index({ endpointId: 1, status: 1, createdAt: -1, _id: -1 })
  // This index serves a destination's waiting deliveries, destinations with waiting deliveries, and the oldest delivery of all.
  .index({ endpointId: 1, dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } } })
  .index({ dueAt: 1 }, { sparse: true });

export type DeliveryRecord = RecordOf<typeof deliverySchema>;

export const defineDestinations = (connection: Connection) =>
  defineCollection(connection, 'webhooks', destinationSchema);

export const defineEvents = (connection: Connection) =>
  defineCollection(connection, 'webhook_events', eventSchema);

export const defineDeliveries = (connection: Connection) =>
  defineCollection(connection, 'webhook_deliveries', deliverySchema);
