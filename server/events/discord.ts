/** Sends messages to a Discord webhook, within Discord's lengths and limits, and with callers' text escaped. */
import { concurrentAttemptsMax } from '../../models/bounds.ts';
import type { EventType, MailOnlyType } from '../../models/outbox/event-types.ts';
import type { EventRecord } from '../../models/outbox/schema.ts';
import { cut } from '../../routers/schemas/text.ts';
import type { AttemptOutcome, DestinationKind, PendingAttempt } from './destination-kind.ts';
import { disabledReasonOf, type PostResult, retryAfterOf, type SendPost } from './post.ts';

/** Statuses that mean that the webhook was deleted or its address is wrong. */
const goneStatuses = [401, 403, 404];

export const createDiscordKind = (post: SendPost): DestinationKind => ({
  attemptsMax: concurrentAttemptsMax.discord,
  async attempt({ destination, event }) {
    return outcomeOf(await post({ url: urlOf(destination.url), body: bodyOf(event) }));
  },
});

function outcomeOf({ status, error, durationMs, isUncertain, ...answer }: PostResult): AttemptOutcome {
  const [, code] = (status ?? 0) >= 400 ? (/"code"\s*:\s*([1-9]\d{0,8})\b/.exec(answer.text) ?? []) : [];
  const retryAfterMs = retryAfterOf(answer, ...limitsOf(status, answer));
  const isGone = status !== null && goneStatuses.includes(status);
  const disabledReason = isGone
    ? `Discord answered ${status}: the webhook no longer exists`
    : disabledReasonOf(status);
  return {
    status,
    error,
    durationMs,
    ...(code && { discordCode: Number(code) }),
    // Discord limits the webhook, so it would refuse any other message as well.
    retryAfterMs,
    destinationPauseMs: retryAfterMs,
    // A message that may have arrived is not retried, because Discord would show it twice.
    isFinal: isUncertain,
    disabledReason,
  };
}

/** Two waits in milliseconds: the one that a 429 requires, and the one until a used-up limit resets. */
function limitsOf(status: number | null, { headers, text }: Pick<PostResult, 'headers' | 'text'>): number[] {
  const [, inBody = ''] = status === 429 ? (/"retry_after"\s*:\s*(\d+(?:\.\d+)?)/.exec(text) ?? []) : [];
  const isUsedUp = headers['x-ratelimit-remaining'] === '0';
  return [Number(inBody) * 1000, isUsedUp ? Number(headers['x-ratelimit-reset-after']) * 1000 : 0];
}

/** With `wait`, Discord responds after it has stored the message. */
function urlOf(address: string): string {
  const url = new URL(address);
  url.searchParams.set('wait', 'true');
  return url.href;
}

function bodyOf({ type, at, data }: PendingAttempt['event']): string {
  const { title, description } = describe(type, data);
  const embed = {
    title: shorten(title, 256),
    description: shorten(description, 2000),
    timestamp: at.toISOString(),
  };
  return JSON.stringify({ content: '', embeds: [embed], allowed_mentions: { parse: [] } });
}

type WebhookType = Exclude<EventType, MailOnlyType>;

interface Text {
  title: string;
  description: string;
}

function describe(type: EventRecord['type'], data: Record<string, unknown>): Text {
  const ticket = `#${textAt(data, 'ticket', 'id')} ${textAt(data, 'ticket', 'subject')}`;
  const subscription = `${textAt(data, 'subscription', 'reference')}: ${textAt(data, 'subscription', 'status')}`;
  const key = `${textAt(data, 'key', 'name')} (${textAt(data, 'key', 'prefix')})`;
  const server = textAt(data, 'server', 'identifier');
  const texts: Record<WebhookType, Text> = {
    'ticket.created': { title: 'New ticket', description: ticket },
    'ticket.replied': {
      title: `Reply to ticket ${ticket}`,
      description: `${textAt(data, 'message', 'name')}: ${textAt(data, 'message', 'message')}`,
    },
    'ticket.status_changed': {
      title: `Ticket is now ${textAt(data, 'ticket', 'status')}`,
      description: ticket,
    },
    'announcement.published': {
      title: textAt(data, 'announcement', 'title'),
      description: textAt(data, 'announcement', 'summary') || textAt(data, 'announcement', 'message'),
    },
    'subscription.changed': { title: 'Subscription changed', description: subscription },
    'subscription.deleted': { title: 'Subscription deleted', description: subscription },
    'key.created': { title: 'API key created', description: key },
    'key.revoked': {
      title: data['reason'] === 'leaked' ? 'Leaked API key revoked' : 'API key revoked',
      description: key,
    },
    'key.expiring': { title: 'API key expires soon', description: key },
    'server.power': { title: `Power signal: ${escaped(data['signal'])}`, description: server },
    'server.state_changed': {
      title: `Server is now ${escaped(data['to'])}`,
      description: `${textAt(data, 'server', 'name')} (${server})`,
    },
    'webhook.test': { title: 'Test', description: 'This webhook works.' },
  };
  return texts[type as WebhookType]; // mail-only events never arrive here
}

function textAt(data: Record<string, unknown>, name: string, field: string): string {
  const holder = data[name];
  if (typeof holder !== 'object' || holder === null) return '';
  return escaped((holder as Record<string, unknown>)[field]);
}

/** Prevents formatting, mentions and links in Discord. */
const escaped = (value: unknown): string =>
  value == null ? '' : String(value).replace(/[\\*_~`|>#[\]()<@:-]/g, '\\$&');

/** Never cuts between the two halves of a character, or after a backslash that escapes the next character. */
function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${cut(text, max - 1).replace(/(?<!\\)\\+$/, '')}…`;
}
