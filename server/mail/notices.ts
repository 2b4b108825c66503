/** The mails to customers and to the host's support, as plain functions of the event. */
import { collectedNoticesMax, mailedLengthMax } from '../../models/bounds.ts';
import type { NoticeKind } from '../../models/outbox/event-types.ts';
import type { Audience, EventRecord } from '../../models/outbox/schema.ts';
import type { TypedEvent } from '../../routers/schemas/event.ts';
import { describeFactor } from '../../routers/schemas/second-factor.ts';
import { cut } from '../../routers/schemas/text.ts';
import { maskSecrets } from '../../routers/support/mask-secrets.ts';

export interface Notice {
  subject: string;
  paragraphs: string[];
  quote?: string;
  list?: { text: string; path: string; kind: NoticeKind | null }[];
  button: { label: string; path: string };
  /** The setting that turns these notices off; null: they cannot be turned off. */
  kind: NoticeKind | null;
  /** How many are sent in an hour before the rest is collected; null: all are sent. */
  limit: NoticeLimit | null;
  /** Why the recipient gets it; undefined: because of their account. */
  why?: string;
  /** The ticket it is about: only its current owner gets the notice. */
  ticketId?: number;
}

/** Counts all notices that a customer causes, or those of one event type to one address. */
export type NoticeLimit = 'of_all' | 'of_type';

type NoticeEvent = Omit<EventRecord, '_id' | 'storedAt' | 'fanOutAt'>;
type Data<Type extends TypedEvent['type']> = Extract<TypedEvent, { type: Type }>['data'];

type Notices = { [Type in TypedEvent['type']]?: (data: Data<Type>, event: NoticeEvent) => Notice | null };

/** Null if the event has no recipient. */
export function noticeOf(event: NoticeEvent, audience: Audience): Notice | null {
  const write = (audience === 'host' ? supportNotices : customerNotices)[event.type];
  return write?.(event.data as never, event) ?? null; // recorded with the data of its type
}

const supportDefaults = {
  kind: null,
  limit: 'of_all' as const,
  why: "You get this mail at support's address",
};

/** Security notices cannot be turned off. */
const securityDefaults = { kind: null, limit: 'of_type' as const };

const supportNotices: Notices = {
  'ticket.created': ({ ticket }, { user }) => ticketNotice(ticket, `${user?.email ?? 'A customer'} opened`),
  'ticket.replied': ({ ticket, message }, { user }) =>
    message.author === 'customer'
      ? ticketNotice(ticket, `${user?.email ?? 'A customer'} replied to`, message.message)
      : null,
  'notices.collected': (data, { user }) => (data.audience === 'host' ? collectedNotice(data, user) : null),
};

/** @param did the customer's action */
function ticketNotice(ticket: { id: number; subject: string }, did: string, reply?: string): Notice {
  const subject = maskSecrets(ticket.subject);
  return {
    ...supportDefaults,
    subject: `${reply === undefined ? 'Ticket' : 'Reply to ticket'} #${ticket.id}: ${subject}`,
    paragraphs: [`${did} ticket #${ticket.id}: ${subject}`],
    ...(reply !== undefined && { quote: quoteOf(reply) }),
    button: { label: 'Open the ticket', path: `/account#support/${ticket.id}` },
    ticketId: ticket.id,
  };
}

const notYou = 'If that was not you, change your password and contact support.';

const customerNotices: Notices = {
  'ticket.replied': ({ ticket, message }) => {
    if (message.author !== 'staff') return null;
    const did = ticket.status === 'Closed' ? 'answered and closed' : 'answered';
    return {
      ...supportActionNotice(ticket, did, message.name),
      quote: quoteOf(message.message),
      kind: 'ticket_answered',
    };
  },
  'ticket.status_changed': ({ ticket }, { isByStaff }) => {
    if (!isByStaff || ticket.status !== 'Closed') return null;
    const notice = supportActionNotice(ticket, 'closed', 'Support');
    const paragraphs = [...notice.paragraphs, 'You can reopen it.'];
    return { ...notice, paragraphs, kind: 'ticket_closed' };
  },
  'key.created': ({ key, reason }) => ({
    ...securityDefaults,
    subject: `A new API key for your account: ${maskSecrets(key.name)}`,
    paragraphs: [
      reason === 'rotated'
        ? `The API key "${maskSecrets(key.name)}" was rotated: a new one, which begins with ${key.prefix}, takes its place.`
        : `The API key "${maskSecrets(key.name)}", which begins with ${key.prefix}, was created for your account.`,
      `Its scopes: ${key.scopes.join(', ')}.`,
      'If that was not you, revoke it, change your password and contact support.',
    ],
    button: keysButton,
  }),
  'key.revoked': ({ key, reason }) =>
    reason !== 'leaked'
      ? null
      : {
          ...securityDefaults,
          subject: `Revoked after a leak: ${maskSecrets(key.name)}`,
          paragraphs: [
            `The API key or app "${maskSecrets(key.name)}" (${key.prefix}) was reported as leaked. It was revoked at once, together with everything that it created.`,
            'Check the activity of your account, and create a new key if you still need one.',
          ],
          button: keysButton,
        },
  'key.expiring': ({ key }) => ({
    subject: `Your API key expires soon: ${maskSecrets(key.name)}`,
    paragraphs: [
      `The API key "${maskSecrets(key.name)}" (${key.prefix}) expires at ${dateOf(key.expires_at)}.`,
      'Rotate it before then, and give your programs the new key.',
    ],
    button: keysButton,
    kind: 'key_expiring',
    limit: 'of_all',
  }),
  'webhook.disabled': ({ webhook, reason }) => {
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
  },
  'app.connected': ({ app, scopes }) => ({
    ...securityDefaults,
    subject: `An app was connected to your account: ${maskSecrets(app.name)}`,
    paragraphs: [
      `The app "${maskSecrets(app.name)}" may act for your account: ${scopes.join(', ')}.`,
      'If that was not you, disconnect it, change your password and contact support.',
    ],
    button: { label: 'See connected apps', path: '/account#apps' },
  }),
  'password.changed': ({ is_removed }) =>
    is_removed
      ? accountNotice(
          'Your password was removed',
          'Your password was set after a sign-in link of a key that has leaked. It no longer works, and all sessions have ended.',
          'To sign in again, get a link by e-mail or from your host, and set a new password.',
        )
      : accountNotice(
          'Your password was changed',
          'The password of your account was changed, and all other sessions have ended.',
          'If that was not you, you can no longer use your password: get a link to sign in by e-mail or from your host, set a new password and contact support.',
        ),
  'email.changed': ({ former_email }) =>
    former_email === null
      ? accountNotice(
          'This is now the e-mail address of your account',
          'Mail about your account comes to this address from now on.',
          notYou,
        )
      : accountNotice(
          'The e-mail address of your account was changed',
          'Your account now has a different e-mail address, and mail about the account no longer comes here.',
          'If you did not request this, contact support.',
        ),
  'user.deleted': () =>
    accountNotice(
      'Your account was deleted',
      'The account with this e-mail address was deleted: its API keys, sessions and connected apps have ended.',
      'If you did not request this, contact support.',
    ),
  'panel_user.removed': () =>
    accountNotice(
      'Your account no longer has its servers',
      'Your account is no longer linked to its user in the control panel, so it no longer has the servers of that user.',
      'If you did not request this, contact support.',
    ),
  'factor.added': ({ factor }) =>
    accountNotice(
      `${describeFactor(factor)} was added to your account`,
      `${describeFactor(factor)} was added to your account: it can be used to sign in from now on.`,
      'If that was not you, contact support at once.',
    ),
  'factor.removed': ({ factor }) =>
    accountNotice(
      `${describeFactor(factor)} was removed from your account`,
      `${describeFactor(factor)} was removed from your account: it can no longer be used to sign in.`,
      notYou,
    ),
  'factors.reset': () =>
    accountNotice(
      'Your second factors were removed',
      'Support has removed all authenticator apps, passkeys and recovery codes from your account, and all sessions have ended. The password alone signs in until you add one again.',
      'If you did not request this, change your password and contact support.',
    ),
  'recovery_code.used': ({ left }) =>
    accountNotice(
      `A recovery code was used, ${left} left`,
      `One of the recovery codes of your account was used. ${left} ${left === 1 ? 'is' : 'are'} left.`,
      notYou,
    ),
  'notices.collected': (data) => (data.audience === 'customer' ? collectedNotice(data, null) : null),
};

/**
 * @param did what support did
 * @param who the member of staff
 */
const supportActionNotice = ({ id, subject }: { id: number; subject: string }, did: string, who: string) => ({
  subject: `Support ${did} your ticket #${id}: ${maskSecrets(subject)}`,
  paragraphs: [`${who} ${did} your ticket #${id}: ${maskSecrets(subject)}`],
  button: { label: 'Open the ticket', path: `/account#tickets/${id}` },
  limit: 'of_all' as const,
  ticketId: id,
});

export function quoteOf(text: string): string {
  const masked = maskSecrets(text);
  const start = cut(masked, mailedLengthMax);
  return start.length < masked.length ? `${start}…` : start;
}

const accountButton = { label: 'Open your account', path: '/account' };
const keysButton = { label: 'See your API keys', path: '/account#keys' };

const accountNotice = (subject: string, ...paragraphs: string[]): Notice => ({
  ...securityDefaults,
  subject,
  paragraphs,
  button: accountButton,
});

const dateOf = (iso: string | null) => (iso ?? '').replace('T', ' ').replace(/(:\d\d)?(\.\d+)?Z$/, ' UTC');

function collectedNotice(
  { audience, count, items }: Data<'notices.collected'>,
  customer: EventRecord['user'],
): Notice {
  const whose = customer ? ` about ${customer.email}` : '';
  const more = count > items.length ? [`The last ${collectedNoticesMax} of them:`] : [];
  return {
    subject: `${count} more ${count === 1 ? 'notice' : 'notices'}${whose}`,
    paragraphs: [`There were more notices${whose} than are sent one by one in an hour.`, ...more],
    list: items,
    button: accountButton,
    ...(audience === 'host' ? supportDefaults : securityDefaults),
    limit: null,
  };
}

/** Null if the event does not change the address. */
export const formerAddressOf = (data: object): string | null =>
  'former_email' in data && typeof data.former_email === 'string' ? data.former_email : null;
