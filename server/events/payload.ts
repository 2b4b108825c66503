/** The body and the headers of a delivery, as Standard Webhooks 1.0 has them. */
import { createHmac } from 'node:crypto';
import type { Audience, EventRecord } from '../../models/webhook/schema.ts';

/** A body is shorter than this. */
export const bodyBytesMax = 20_000;

/** An event as an audience gets it: the host's endpoints are told which customer is concerned. */
export function dataFor({ data, user }: EventRecord, audience: Audience): Record<string, unknown> {
  if (audience === 'customer' || !user) return { ...data };
  const { id, email, externalId, nickname } = user;
  const ticket = 'ticket' in data && {
    ticket: { ...(data.ticket as object), user: { id, email, nickname } },
  };
  return { ...data, ...ticket, user: { id, email, external_id: externalId } };
}

export function bodyOf(event: EventRecord, audience: Audience): string {
  const write = (data: object) =>
    JSON.stringify({ type: event.type, timestamp: event.at.toISOString(), data });
  const data = dataFor(event, audience);
  const body = write(data);
  if (Buffer.byteLength(body) < bodyBytesMax) return body;
  const cut = longestThatFits(textOf(data).length, (length) => write(cutTo(data, length)));
  return write(cutTo(data, cut));
}

/** The one text that can be long: the message of a reply or of an announcement. */
function textOf(data: Record<string, unknown>): string {
  const holder = holderOf(data);
  return holder ? String(holder.value['message']) : '';
}

function holderOf(data: Record<string, unknown>) {
  for (const name of ['message', 'announcement']) {
    const value = data[name];
    if (typeof value === 'object' && value !== null && 'message' in value)
      return { name, value: value as Record<string, unknown> }; // an object, by the line above
  }
  return null;
}

function cutTo(data: Record<string, unknown>, length: number): object {
  const holder = holderOf(data);
  if (!holder) return { truncated: true };
  const message = textOf(data)
    .slice(0, length)
    .toWellFormed()
    .replace(/\uFFFD$/, '');
  return { ...data, [holder.name]: { ...holder.value, message }, truncated: true };
}

function longestThatFits(max: number, write: (length: number) => string): number {
  let [low, high] = [0, max];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Buffer.byteLength(write(middle)) < bodyBytesMax) low = middle;
    else high = middle - 1;
  }
  return low;
}

interface Signed {
  id: string;
  /** Of this attempt. */
  at: Date;
  body: string;
  secrets: readonly string[];
}

/** @param signed `secrets`: the present one first */
export function signedHeaders({ id, at, body, secrets }: Signed): Record<string, string> {
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
