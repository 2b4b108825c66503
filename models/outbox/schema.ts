/** What is stored of webhooks: destinations, events, and deliveries of events to destinations. */
import { type Connection, Schema } from 'mongoose';
import { defineCollection, defineSchema, type RecordOf } from '../support/collection.ts';
import { eventTypes, mailOnlyTypes, subscribableTypes } from './event-types.ts';

/** Whose events a destination gets: those of the customer who owns it, or everybody's. */
export const audiences = ['customer', 'host'] as const;
export type Audience = (typeof audiences)[number];

/** The kinds of webhooks. */
export const webhookFormats = ['standard', 'discord'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

/** The kinds of destinations. */
const destinationFormats = [...webhookFormats, 'mail'] as const;

/**
 * The destinations of mail: notices to customers, links to sign in, and the host's support. Links have one of their own, so that
 * none waits behind notices.
 */
export const mailIds = { customer: 'mail_customers', links: 'mail_links', host: 'mail_support' } as const;

/** The `userId` of a destination that serves every customer. */
export const everyCustomer = 0;

const destinationSchema = defineSchema({
  /** `whk_` and 32 hexadecimal digits. */
  _id: { type: String, required: true },
  userId: { type: Number, required: true },
  audience: { type: String, enum: audiences, required: true },
  /** Encrypted; empty for mail, whose recipient is looked up when it is sent. */
  url: { type: String, required: true },
  format: { type: String, enum: destinationFormats, required: true },
  events: { type: [{ type: String, enum: [...subscribableTypes, '*', ...mailOnlyTypes] }], required: true },
  description: { type: String, default: null },
  /** Why it is off; null while it is on, or when its owner turned it off. */
  disabledReason: { type: String, default: null },
  isActive: { type: Boolean, required: true },
  /** The name of the key or the app that made it; null when the account page did. */
  madeBy: { type: String, default: null },
  /**
   * The key, or the app's grant, that it belongs to and ends with. Empty: the account page set its address. Null: the key has
   * ended, and the webhook belongs to whoever turns it on again.
   */
  keyId: { type: String, default: null },
  /** The key, or the grant, that set its address: rotations may have moved the webhook to successors since. */
  setByKeyId: { type: String, default: null },
  /** Always null: migration 11, which may run again, takes webhooks without this field for older ones. Version 12 stored a list. */
  keyIds: { type: [String], default: null },
  /** Each rotation of its signing secret raises it. */
  secretVersion: { type: Number, required: true },
  /** Until then the previous secret signs as well. */
  previousSecretUntil: { type: Date, default: null },
  /**
   * When it began to get events: at its creation, when it was turned on again, or when its owner's rights changed. It grows
   * with each change, whatever the clocks say; a delivery from before is not sent any more.
   */
  activeSince: { type: Date, required: true },
  createdAt: { type: Date, required: true },
  lastSuccessAt: { type: Date, default: null },
  /** The first failure since the last success, and how many there were. */
  failingSince: { type: Date, default: null },
  failureCount: { type: Number, required: true },
  /** Nothing is tried before this time: the receiver's limit is used up. */
  pausedUntil: { type: Date, allowNull: false },
})
  .index({ userId: 1, audience: 1, createdAt: -1, _id: -1 })
  // Of the host, and for events that concern everybody.
  .index({ isActive: 1, audience: 1, _id: 1 });

export type DestinationRecord = RecordOf<typeof destinationSchema>;

export const neverFailed = { failingSince: null, failureCount: 0 };

/** The state of a new destination, which gets events from now on. */
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
  /** The customer concerned; null: everybody. */
  userId: { type: Number, default: null },
  at: { type: Date, required: true },
  /** As the customer may see it at that time; each type has its own fields. */
  data: { type: new Schema<object>({}, { _id: false }), required: true },
  /** Whether the staff did it, where a notice depends on it. */
  isByStaff: { type: Boolean, allowNull: false },
  /** The customer, for the host's destinations; null where none of them gets it. */
  user: { type: eventUserSchema, default: null },
  /** When the next process may turn it into deliveries; absent when that is done. */
  fanOutAt: { type: Date, allowNull: false },
  /** Bodies are kept for 30 days from here. */
  storedAt: { type: Date, required: true },
})
  .index({ storedAt: 1 }, { expireAfterSeconds })
  .index({ fanOutAt: 1 }, { sparse: true });

export type EventRecord = RecordOf<typeof eventSchema>;

/** Why an attempt failed: a closed list, which says nothing of the network or of the receiver. */
export const attemptErrors = ['timeout', 'connection', 'tls', 'address', 'redirect', 'status'] as const;
export type AttemptError = (typeof attemptErrors)[number];

const attemptSchema = defineSchema({
  at: { type: Date, required: true },
  /** Null when there was no response. */
  status: { type: Number, default: null },
  /** Null for a success. */
  error: { type: String, enum: attemptErrors, default: null },
  /** The number by which Discord says why it refused. */
  discordCode: { type: Number, allowNull: false },
  /** How the mail server refused it. */
  smtpReply: { type: String, allowNull: false },
  durationMs: { type: Number, required: true },
});

export type AttemptRecord = RecordOf<typeof attemptSchema>;

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const deliverySchema = defineSchema({
  /** Made from event and destination, so that a repeated fan-out makes it once; random for a redelivery. */
  _id: { type: String, required: true },
  eventId: { type: String, required: true },
  /** The destination. */
  endpointId: { type: String, required: true },
  type: { type: String, enum: eventTypes, required: true },
  /** The destination's, when the delivery was made. */
  activeSince: { type: Date, required: true },
  status: { type: String, enum: deliveryStatuses, required: true },
  attempts: { type: [attemptSchema], required: true },
  /** When it may be claimed; a claim moves it to the end of its lease. Absent when nothing is pending. */
  dueAt: { type: Date, allowNull: false },
  /** Names the lease of the attempt in progress. */
  lease: { type: String, allowNull: false },
  createdAt: { type: Date, required: true },
})
  .index({ createdAt: 1 }, { expireAfterSeconds })
  .index({ endpointId: 1, createdAt: -1, _id: -1 })
  .index({ endpointId: 1, status: 1, createdAt: -1, _id: -1 })
  // What waits for a destination, for which destinations something does, and the oldest of all.
  .index({ endpointId: 1, dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } } })
  .index({ dueAt: 1 }, { sparse: true });

export type DeliveryRecord = RecordOf<typeof deliverySchema>;

export const defineDestinations = (connection: Connection) =>
  defineCollection(connection, 'webhooks', destinationSchema);

export const defineEvents = (connection: Connection) =>
  defineCollection(connection, 'webhook_events', eventSchema);

export const defineDeliveries = (connection: Connection) =>
  defineCollection(connection, 'webhook_deliveries', deliverySchema);
