/** Sends webhooks as Standard Webhooks 1.0 defines them: signed JSON, to any address. */
import { createHmac } from 'node:crypto';
import { concurrentAttemptsMax, eventBytesMax } from '../../models/bounds.ts';
import type { DecryptedDestination } from '../../models/outbox/webhooks.ts';
import type { DestinationKind, PendingAttempt } from './destination-kind.ts';
import { disabledReasonOf, retryAfterOf, type SendPost } from './post.ts';

export const createStandardKind = (
  post: SendPost,
  secretsOf: (destination: DecryptedDestination, at: Date) => readonly string[],
): DestinationKind => ({
  attemptsMax: concurrentAttemptsMax.webhook,
  async attempt({ destination, event, at }) {
    const body = bodyOf(event);
    const headers = signedHeaders({ id: event._id, at, body, secrets: secretsOf(destination, at) });
    const result = await post({ url: destination.url, body, headers });
    const { status, error, durationMs } = result;
    const disabledReason = disabledReasonOf(status);
    return { status, error, durationMs, retryAfterMs: retryAfterOf(result), disabledReason };
  },
});

function bodyOf({ type, at, data }: PendingAttempt['event']): string {
  const write = (written: object) => JSON.stringify({ type, timestamp: at.toISOString(), data: written });
  const body = write(data);
  if (Buffer.byteLength(body) < eventBytesMax) return body;
  const cut = longestThatFits(longTextOf(data).length, (length) => write(cutTo(data, length)));
  return write(cutTo(data, cut));
}

/** Only one text can be long: the message of a reply or of an announcement. */
function longTextOf(data: Record<string, unknown>): string {
  const holder = findLongText(data);
  return holder ? String(holder.value['message']) : '';
}

function findLongText(data: Record<string, unknown>) {
  for (const name of ['message', 'announcement']) {
    const value = data[name];
    if (typeof value === 'object' && value !== null && 'message' in value)
      return { name, value: value as Record<string, unknown> };
  }
  return null;
}

function cutTo(data: Record<string, unknown>, length: number): object {
  const holder = findLongText(data);
  if (!holder) return { truncated: true };
  const message = longTextOf(data)
    .slice(0, length)
    .toWellFormed()
    .replace(/\uFFFD$/, '');
  return { ...data, [holder.name]: { ...holder.value, message }, truncated: true };
}

function longestThatFits(max: number, write: (length: number) => string): number {
  let [low, high] = [0, max];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Buffer.byteLength(write(middle)) < eventBytesMax) low = middle;
    else high = middle - 1;
  }
  return low;
}

interface Signed {
  id: string;
  at: Date;
  body: string;
  secrets: readonly string[];
}

function signedHeaders({ id, at, body, secrets }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
