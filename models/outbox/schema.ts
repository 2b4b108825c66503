/** What is stored of webhooks: destinations, events, and deliveries of events to destinations. */
import type { Connection } from 'mongoose';
import { defineCollection } from '../support/collection.ts';
import type { EventType, NoticeType, SubscribedType } from './event-types.ts';

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

/** In place of a user's id, of a destination that is for each customer. */
export const everyCustomer = 0;

export interface DestinationRecord {
  /** `whk_` and 32 hexadecimal digits. */
  _id: string;
  userId: number;
  audience: Audience;
  /** Encrypted; empty for mail, whose recipient is looked up when it is sent. */
  url: string;
  format: (typeof destinationFormats)[number];
  events: (SubscribedType | NoticeType)[];
  description: string | null;
  /** Why it is off; null while it is on, or when its owner turned it off. */
  disabledReason: string | null;
  isActive: boolean;
  /** The name of the key or the app that made it; null when the account page did. */
  madeBy: string | null;
  /**
   * The key, or the app's grant, that it belongs to and ends with. Empty: the account page set its address. Null: the key has
   * ended, and the webhook belongs to whoever turns it on again.
   */
  keyId: string | null;
  /** The key, or the grant, that set its address: rotations may have moved the webhook to successors since. */
  setByKeyId: string | null;
  /** Always null: migration 11, which may run again, takes webhooks without this field for older ones. */
  keyIds: null;
  /** Of its signing secret. */
  secretVersion: number;
  /** Until when the secret before signs too. */
  previousSecretUntil: Date | null;
  /**
   * When it began to get events: at its creation, when it was turned on again, or when its owner's rights changed. It grows
   * with each change, whatever the clocks say; a delivery from before is not sent any more.
   */
  activeSince: Date;
  createdAt: Date;
  lastSuccessAt: Date | null;
  /** The first failure since the last success, and how many there were. */
  failingSince: Date | null;
  failureCount: number;
  /** Nothing is tried before this time: the receiver's limit is used up. */
  pausedUntil?: Date;
}

export const neverFailed = { failingSince: null, failureCount: 0 };

/** Of one that gets events from now on. */
export const untried = (now: Date) => ({
  ...{ isActive: true, disabledReason: null, ...neverFailed, lastSuccessAt: null },
  ...{ secretVersion: 1, previousSecretUntil: null, activeSince: now, createdAt: now, keyIds: null },
});

export interface EventRecord {
  _id: string;
  type: EventType;
  /** The customer concerned; null: everybody. */
  userId: number | null;
  at: Date;
  /** As the customer may see it at that time. */
  data: object;
  /** Whether the staff did it, where a notice depends on it. */
  isByStaff?: boolean;
  /** The customer, for the host's destinations; null where none of them gets it. */
  user: EventUser | null;
  /** When the next process may turn it into deliveries; absent when that is done. */
  fanOutAt?: Date;
  /** Bodies are kept for 30 days from here. */
  storedAt: Date;
}

export interface EventUser {
  id: number;
  email: string;
  externalId: string | null;
  nickname: string | null;
}

/** Why an attempt failed: a closed list, which says nothing of the network or of the receiver. */
export const attemptErrors = ['timeout', 'connection', 'tls', 'address', 'redirect', 'status'] as const;
export type AttemptError = (typeof attemptErrors)[number];

export interface Attempt {
  at: Date;
  /** Null when there was no response. */
  status: number | null;
  /** Null for a success. */
  error: AttemptError | null;
  /** The number by which Discord says why it refused. */
  discordCode?: number;
  /** How the mail server refused it. */
  smtpReply?: string;
  durationMs: number;
}

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export interface DeliveryRecord {
  /** Made from event and destination, so that a repeated fan-out makes it once; random for a redelivery. */
  _id: string;
  eventId: string;
  /** The destination. */
  endpointId: string;
  type: EventType;
  /** The destination's, when the delivery was made. */
  activeSince: Date;
  status: DeliveryStatus;
  attempts: Attempt[];
  /** When it may be claimed; a claim moves it to the end of its lease. Absent when nothing is pending. */
  dueAt?: Date;
  /** Names the lease of the attempt in progress. */
  lease?: string;
  createdAt: Date;
}

const expireAfterSeconds = 30 * 24 * 60 * 60;

export const defineDestinations = (connection: Connection) =>
  defineCollection<DestinationRecord>(connection, 'webhooks', [
    [{ userId: 1, audience: 1, createdAt: -1, _id: -1 }],
    // Of the host, and for events that concern everybody.
    [{ isActive: 1, audience: 1, _id: 1 }],
  ]);

export const defineEvents = (connection: Connection) =>
  defineCollection<EventRecord>(connection, 'webhook_events', [
    [{ storedAt: 1 }, { expireAfterSeconds }],
    [{ fanOutAt: 1 }, { sparse: true }],
  ]);

export const defineDeliveries = (connection: Connection) =>
  defineCollection<DeliveryRecord>(connection, 'webhook_deliveries', [
    [{ createdAt: 1 }, { expireAfterSeconds }],
    [{ endpointId: 1, createdAt: -1, _id: -1 }],
    [{ endpointId: 1, status: 1, createdAt: -1, _id: -1 }],
    // What waits for a destination, for which destinations something does, and the oldest of all.
    [{ endpointId: 1, dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } } }],
    [{ dueAt: 1 }, { sparse: true }],
  ]);
