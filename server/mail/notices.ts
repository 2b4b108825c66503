/** What each kind of event is told by mail, to the customer and to the host's support: plain functions of the event. */
import { collectedNoticesMax, mailedLengthMax } from '../../models/bounds.ts';
import type { NoticeKind } from '../../models/webhook/event-types.ts';
import type { Audience, EventRecord } from '../../models/webhook/schema.ts';
import type { TypedEvent } from '../../routers/schemas/event.ts';
import { cut } from '../../routers/schemas/text.ts';
import { maskSecrets } from '../../routers/support/mask-secrets.ts';

export interface Notice {
  subject: string;
  paragraphs: string[];
  /** Of a ticket. */
  quote?: string;
  /** Of one that collects others. */
  list?: { text: string; path: string }[];
  /** To a place of the account page. */
  button: { label: string; path: string };
  /** By what its recipient may turn such notices off; null: not at all. */
  kind: NoticeKind | null;
  /** How many come in an hour before further ones are collected; null: all come. */
  limit: NoticeLimit | null;
  /** Why it comes; without, because of the recipient's account. */
  why?: string;
  /** Its ticket: no user is told of one that is not theirs any more. */
  ticketId?: number;
}

/** Of all that a customer causes, or of one type of event to one address. */
export type NoticeLimit = 'of_all' | 'of_type';

type Told = Omit<EventRecord, '_id' | 'storedAt' | 'fanOutAt'>;

/** Null where it has no recipient. */
export function noticeOf(event: Told, audience: Audience): Notice | null {
  const typed = event as TypedEvent; // as it was recorded
  if (typed.type === 'notices.collected')
    return typed.data.audience === audience ? collected(typed.data, event) : null;
  return audience === 'host' ? toSupport(typed, event) : toCustomer(typed);
}

function toSupport(event: TypedEvent, { user }: Told): Notice | null {
  const isReply = event.type === 'ticket.replied' && event.data.message.author === 'customer';
  if (event.type !== 'ticket.created' && !isReply) return null;
  const { id } = event.data.ticket;
  const subject = maskSecrets(event.data.ticket.subject);
  const who = user?.email ?? 'A customer';
  return {
    ...forSupport,
    subject: `${isReply ? 'Reply to ticket' : 'Ticket'} #${id}: ${subject}`,
    paragraphs: [`${who} ${isReply ? 'replied to' : 'opened'} ticket #${id}: ${subject}`],
    ...(isReply && { quote: quoteOf(event.data.message.message) }),
    button: { label: 'Open the ticket', path: `/account#support/${id}` },
    ticketId: id,
  };
}

const forSupport = { kind: null, limit: 'of_all' as const, why: "You get this mail at support's address" };

function toCustomer(event: TypedEvent): Notice | null {
  switch (event.type) {
    case 'ticket.replied':
      return event.data.message.author === 'staff' ? answered(event.data) : null;
    case 'ticket.status_changed':
      return event.isByStaff && event.data.ticket.status === 'Closed' ? closed(event.data) : null;
    case 'key.created':
      return keyCreated(event.data);
    case 'key.revoked':
      return event.data.reason === 'leaked' ? keyLeaked(event.data) : null;
    case 'key.expiring':
      return keyExpiring(event.data);
    case 'webhook.disabled':
      return webhookDisabled(event.data);
    case 'app.connected':
      return appConnected(event.data);
    case 'password.changed':
      return passwordChanged;
    case 'email.changed':
      return event.data.former_email !== null ? formerAddress : newAddress;
    case 'user.deleted':
      return userDeleted;
    case 'panel_user.removed':
      return panelUserRemoved;
    default:
      return null;
  }
}

type Data<Type extends TypedEvent['type']> = Extract<TypedEvent, { type: Type }>['data'];

function answered({ ticket, message }: Data<'ticket.replied'>): Notice {
  const subject = maskSecrets(ticket.subject);
  const isClosed = ticket.status === 'Closed';
  const did = isClosed ? 'answered and closed' : 'answered';
  return {
    subject: `Support ${did} your ticket #${ticket.id}: ${subject}`,
    paragraphs: [`${message.name} ${did} your ticket #${ticket.id}: ${subject}`],
    quote: quoteOf(message.message),
    button: ticketButton(ticket),
    kind: 'ticket_answered',
    limit: 'of_all',
    ticketId: ticket.id,
  };
}

function closed({ ticket }: Data<'ticket.status_changed'>): Notice {
  const subject = maskSecrets(ticket.subject);
  return {
    subject: `Support closed your ticket #${ticket.id}: ${subject}`,
    paragraphs: [`Support closed your ticket #${ticket.id}: ${subject}`, 'You can open it again.'],
    button: ticketButton(ticket),
    kind: 'ticket_closed',
    limit: 'of_all',
    ticketId: ticket.id,
  };
}

const ticketButton = ({ id }: { id: number }) => ({
  label: 'Open the ticket',
  path: `/account#tickets/${id}`,
});

/** The start of what was written in a ticket. */
export function quoteOf(text: string): string {
  const masked = maskSecrets(text);
  const start = cut(masked, mailedLengthMax);
  return start.length < masked.length ? `${start}…` : start;
}

/** What a user is told of the account itself, whatever the event says more. */
const security = { kind: null, limit: 'of_type' as const };

const accountButton = { label: 'Open your account', path: '/account' };

const notYou = 'If that was not you, change your password and tell support.';

const passwordChanged = {
  ...security,
  subject: 'Your password was changed',
  paragraphs: ['The password of your account was changed, and all other sessions have ended.', notYou],
  button: accountButton,
};

const formerAddress = {
  ...security,
  subject: 'The e-mail address of your account was changed',
  paragraphs: [
    'Your account has another e-mail address now: mail about it does not come here any more.',
    'If you did not ask for that, tell support.',
  ],
  button: accountButton,
};

const newAddress = {
  ...security,
  subject: 'This is the e-mail address of your account now',
  paragraphs: ['Mail about your account comes to this address from now on.', notYou],
  button: accountButton,
};

const userDeleted = {
  ...security,
  subject: 'Your account was deleted',
  paragraphs: [
    'The account with this e-mail address was deleted: its API keys, sessions and connected apps have ended.',
    'If you did not ask for that, tell support.',
  ],
  button: accountButton,
};

const panelUserRemoved = {
  ...security,
  subject: 'The servers of your account were taken from it',
  paragraphs: [
    'Your account does not have its user at the control panel any more, and with it not the servers of that user.',
    'If you did not ask for that, tell support.',
  ],
  button: accountButton,
};

const keysButton = { label: 'See your API keys', path: '/account#keys' };

const keyCreated = ({ key, reason }: Data<'key.created'>): Notice => ({
  ...security,
  subject: `A new API key for your account: ${maskSecrets(key.name)}`,
  paragraphs: [
    reason === 'rotated'
      ? `The API key "${maskSecrets(key.name)}" was rotated: a new one, which begins with ${key.prefix}, takes its place.`
      : `The API key "${maskSecrets(key.name)}", which begins with ${key.prefix}, was created for your account.`,
    `It may: ${key.scopes.join(', ')}.`,
    'If that was not you, revoke it, change your password and tell support.',
  ],
  button: keysButton,
});

const keyLeaked = ({ key }: Data<'key.revoked'>): Notice => ({
  ...security,
  subject: `Found leaked, and revoked: ${maskSecrets(key.name)}`,
  paragraphs: [
    `The API key or app "${maskSecrets(key.name)}" (${key.prefix}) was reported as leaked. It has ended at once, and what it made has ended with it.`,
    'Look at the activity of your account, and create a new key where you still need one.',
  ],
  button: keysButton,
});

const keyExpiring = ({ key }: Data<'key.expiring'>): Notice => ({
  subject: `Your API key expires soon: ${maskSecrets(key.name)}`,
  paragraphs: [
    `The API key "${maskSecrets(key.name)}" (${key.prefix}) expires at ${dateOf(key.expires_at)}.`,
    'Rotate it before then, and programs that use it go on with the new one.',
  ],
  button: keysButton,
  kind: 'key_expiring',
  limit: 'of_all',
});

const dateOf = (iso: string | null) => (iso ?? '').replace('T', ' ').replace(/(:\d\d)?(\.\d+)?Z$/, ' UTC');

const webhookDisabled = ({ webhook, reason }: Data<'webhook.disabled'>): Notice => {
  const name = maskSecrets(webhook.description ?? webhook.host ?? webhook.id);
  return {
    subject: `A webhook was turned off: ${name}`,
    paragraphs: [
      `Your webhook "${name}" was turned off: ${reason}.`,
      'It gets no events until it is turned on again.',
    ],
    button: { label: 'See your webhooks', path: '/account#webhooks' },
    kind: 'webhook_disabled',
    limit: 'of_all',
  };
};

const appConnected = ({ app, scopes }: Data<'app.connected'>): Notice => ({
  ...security,
  subject: `An app was connected to your account: ${maskSecrets(app.name)}`,
  paragraphs: [
    `The app "${maskSecrets(app.name)}" may act for your account: ${scopes.join(', ')}.`,
    'If that was not you, disconnect it, change your password and tell support.',
  ],
  button: { label: 'See connected apps', path: '/account#apps' },
});

function collected({ audience, count, items }: Data<'notices.collected'>, { user }: Told): Notice {
  const whose = user ? ` about ${user.email}` : '';
  const more = count > items.length ? [`The last ${collectedNoticesMax} of them:`] : [];
  const counted = `${count} more ${count === 1 ? 'notice' : 'notices'}${whose}`;
  return {
    subject: counted,
    paragraphs: [`There were more notices${whose} than are sent one by one in an hour.`, ...more],
    list: items,
    button: accountButton,
    ...(audience === 'host' ? forSupport : security),
    limit: null,
  };
}

/** The address that an account had, where that one is told; null for all else. */
export const formerAddressOf = (data: object): string | null =>
  'former_email' in data && typeof data.former_email === 'string' ? data.former_email : null;
