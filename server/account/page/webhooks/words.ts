/** Words for webhooks, their events and their deliveries. */
import type { Delivery, Webhook, WebhookTypes } from '../api.ts';
import { formatRelativeTime } from '../time.tsx';

export const nameOf = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string =>
  description?.trim() || (URL.canParse(url) ? new URL(url).host : 'A webhook without an address');

export function sentenceOf(types: WebhookTypes, type: string): string {
  if (type === 'webhook.test') return 'A test.';
  return types.find((each) => each.type === type)?.sentence ?? type;
}

type DeliveryAttempt = Delivery['attempts'][number];

const errors: Record<string, string> = {
  timeout: 'no answer in time',
  connection: 'no connection',
  tls: 'no valid certificate',
  address: 'an address that may not be called',
  redirect: 'a redirect, which is not followed',
};

export function outcomeOf({ status, error, reason: discordReason }: DeliveryAttempt): string {
  if (error === null) return `delivered (${status})`;
  if (discordReason) return `refused (${status}): ${discordReason}`;
  const reason = errors[error];
  if (!reason) return `refused (${status ?? error})`;
  return status === null ? reason : `${reason} (${status})`;
}

export function nextTryOf(attempts: readonly DeliveryAttempt[], next: string): string {
  const isDue = Date.parse(next) <= Date.now();
  return `${attempts.length > 0 ? 'Next' : 'First'} try ${isDue ? 'now' : formatRelativeTime(next)}`;
}
