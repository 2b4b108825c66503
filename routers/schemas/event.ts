/** The events that webhooks send: a sentence and the data of each type. */
import { z } from 'zod';
import {
  type EventType,
  noticeKinds,
  type SubscribableType,
  subscribableTypes,
} from '../../models/outbox/event-types.ts';
import type { NewEvent } from '../../models/outbox/events.ts';
import { audiences } from '../../models/outbox/schema.ts';
import type { Scope } from '../scopes.ts';
import { ServerState } from '../servers/resources-schema.ts';
import type { Tag } from '../tags.ts';
import { Message, OwnedTicket, TicketDetail } from '../tickets/conversation-schema.ts';
import { Ticket } from '../tickets/ticket-schema.ts';
import { Announcement } from './announcement.ts';
import { dateTime } from './common.ts';
import { Key } from './key.ts';
import { OwnFactor } from './second-factor.ts';
import { Subscription } from './subscription.ts';
import { AdminUser } from './user.ts';

/** The account page, the guide and the OpenAPI document show these sentences. */
export const eventSentences: Record<SubscribableType, string> = {
  'ticket.created': 'A ticket was opened.',
  'ticket.replied': 'A reply was written to a ticket, by the customer or by support.',
  'ticket.status_changed': 'A ticket became active, was closed, was reopened or was archived.',
  'announcement.published': 'The host published an announcement.',
  'subscription.changed': 'A subscription was added, or its status, name, price or renewal changed.',
  'subscription.deleted': 'A subscription was removed.',
  'key.created': 'An API key was created.',
  'key.revoked': 'An API key was revoked, or a token of an app was reported as leaked.',
  'key.expiring': 'An API key expires in seven days.',
  'server.power': 'A server was started, stopped or restarted through this service.',
  'server.state_changed': 'A server went from one state to another, such as from starting to running.',
};

const testSentence = 'A test was requested. The webhook gets it, whatever types it subscribes to.';

const ticket = z
  .union([TicketDetail, OwnedTicket])
  .describe("The ticket as a GET shows it; the host's webhooks also get its customer.");

const key = z.object({
  key: Key.pick({ name: true, prefix: true, scopes: true, expires_at: true }).meta({
    title: 'EventKey',
    description: 'The key, or the access of an app.',
  }),
  reason: z
    .string()
    .nullable()
    .describe('Why this happened, for example rotated or leaked; null if there is no reason.'),
});

const factor = z.object({ factor: OwnFactor.pick({ kind: true, name: true }) });

const server = z
  .object({ identifier: z.string().describe('Identifies the server in paths.') })
  .meta({ title: 'EventServer', description: 'The server that got the signal.' });

/** The data as a customer's endpoint receives it. */
const eventData = {
  'ticket.created': z.object({ ticket }),
  'ticket.replied': z.object({ ticket, message: Message }),
  'ticket.status_changed': z.object({ ticket, previous_status: Ticket.shape.status }),
  'announcement.published': z.object({ announcement: Announcement }),
  'subscription.changed': z.object({
    subscription: Subscription,
    previous_status: z
      .string()
      .nullable()
      .describe('The status before, also if it did not change; null if the subscription is new.'),
  }),
  'subscription.deleted': z.object({ subscription: Subscription }),
  'key.created': key,
  'key.revoked': key,
  'key.expiring': key,
  'server.power': z.object({
    server,
    signal: z.string().describe('The signal that was sent: start, stop or restart.'),
  }),
  'server.state_changed': z.object({
    server: server
      .extend({ name: z.string().describe('The name of the server.') })
      .meta({ title: 'EventNamedServer', description: 'The server whose state changed.' }),
    from: ServerState,
    to: ServerState,
    measured_at: dateTime.describe('When the new state was first seen.'),
  }),
  'webhook.disabled': z.object({
    webhook: z.object({ id: z.string(), description: z.string().nullable(), host: z.string().nullable() }),
    reason: z.string(),
  }),
  'app.connected': z.object({ app: z.object({ name: z.string() }), scopes: z.array(z.string()) }),
  'password.changed': z.object({
    is_removed: z
      .literal(true)
      .optional()
      .describe(
        'Present if the password was set through a leaked key. It was removed, so no password signs in now.',
      ),
  }),
  'email.changed': z.object({
    former_email: z.string().nullable().describe('The address that gets the mail; null: the new address.'),
  }),
  'user.deleted': z.object({ former_email: z.string() }),
  'panel_user.removed': z.object({ former_email: z.string() }),
  'factor.added': factor,
  'factor.removed': factor,
  'factors.reset': z.object({}),
  'recovery_code.used': z.object({ left: z.int().describe('How many recovery codes the user has left.') }),
  'notices.collected': z.object({
    audience: z.enum(audiences),
    former_email: z
      .string()
      .nullable()
      .describe('The address that gets the mail; null: the current address.'),
    count: z.int(),
    items: z.array(z.object({ text: z.string(), path: z.string(), kind: z.enum(noticeKinds).nullable() })),
  }),
  'link.requested': z.object({
    email: z.string().describe('As the visitor typed it; it may belong to no user.'),
  }),
  'user.invited': z.object({
    key_id: z.string().nullable().describe('The id of the key that sent the invitation.'),
  }),
  'webhook.test': z.object({}),
} satisfies Record<EventType, z.ZodObject>;

export type TypedEvent = {
  [Type in EventType]: NewEvent & { type: Type; data: z.infer<(typeof eventData)[Type]> };
}[EventType];

const EventUser = AdminUser.pick({ id: true, email: true, external_id: true })
  .meta({ title: 'EventUser' })
  .describe("The customer concerned, if there is one; only the host's webhooks get it.");

const truncated = z.literal(true).describe('Present if a long message was cut.');

/** `ticket.status_changed` becomes `TicketStatusChangedEvent`. */
const titleOf = (type: string) =>
  `${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

const describeEvent = <Type extends EventType>(type: Type, sentence: string) => ({
  type,
  sentence,
  body: z
    .object({
      type: z.literal(type).describe('The type of the event, which decides what `data` holds.'),
      timestamp: dateTime.describe('When it happened.'),
      data: eventData[type]
        .extend({ user: EventUser.optional(), truncated: truncated.optional() })
        .meta({ title: `${titleOf(type)}Data`, description: 'The subject of the event.' }),
    })
    .meta({ title: titleOf(type), description: sentence }),
});

const events = [
  ...subscribableTypes.map((type) => describeEvent(type, eventSentences[type])),
  describeEvent('webhook.test', testSentence),
];

/** The requests that webhooks receive. The OpenAPI document describes them if the service offers the scope. */
export const notifications = {
  scope: 'write:webhooks' as const satisfies Scope,
  /** No operation's tag: openapi-generator writes a file for a tag of webhooks, and it would replace that of the operations. */
  tag: 'Events' as const satisfies Tag,
  events,
};
