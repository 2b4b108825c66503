/** Events as messages of Discord, within its lengths and with the text of strangers escaped. */
import type { EventRecord } from '../../models/webhook/schema.ts';

const titleMax = 256;
const descriptionMax = 2000;

/** Executes a webhook of Discord; it answers when the message is stored. */
export function discordUrl(address: string): string {
  const url = new URL(address);
  url.searchParams.set('wait', 'true');
  return url.href;
}

/** @param data as the endpoint's audience gets it */
export function discordBody({ type, at }: EventRecord, data: Record<string, unknown>): string {
  const { title, description } = describe(type, data);
  const embed = {
    title: cut(title, titleMax),
    description: cut(description, descriptionMax),
    timestamp: at.toISOString(),
  };
  return JSON.stringify({ content: '', embeds: [embed], allowed_mentions: { parse: [] } });
}

interface Text {
  title: string;
  description: string;
}

function describe(type: EventRecord['type'], data: Record<string, unknown>): Text {
  const ticket = `#${textAt(data, 'ticket', 'id')} ${textAt(data, 'ticket', 'subject')}`;
  const subscription = `${textAt(data, 'subscription', 'reference')}: ${textAt(data, 'subscription', 'status')}`;
  const key = `${textAt(data, 'key', 'name')} (${textAt(data, 'key', 'prefix')})`;
  const server = textAt(data, 'server', 'identifier');
  const texts: Record<EventRecord['type'], Text> = {
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
      title: data['reason'] === 'leaked' ? 'Found leaked, and revoked' : 'API key revoked',
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
  return texts[type];
}

function textAt(data: Record<string, unknown>, name: string, field: string): string {
  const holder = data[name];
  if (typeof holder !== 'object' || holder === null) return '';
  return escaped((holder as Record<string, unknown>)[field]);
}

/** What Discord reads as formatting, mentions and links stays text. */
const escaped = (value: unknown): string =>
  value == null ? '' : String(value).replace(/[\\*_~`|>#[\]()<@:-]/g, '\\$&');

/** Never between the two halves of a character, or behind a backslash that escapes what follows. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const short = text
    .slice(0, max - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '');
  return `${withoutTrailing('\\', short)}…`;
}

/** Not by a pattern, which would take quadratic time. */
function withoutTrailing(character: string, text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
