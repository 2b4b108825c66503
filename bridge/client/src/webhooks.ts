/** Verifies the events that the host sends to a webhook, as Standard Webhooks 1.0 describes. */
import { Webhook } from 'standardwebhooks';
import { GamehostError } from './errors.ts';
import type { Webhooks } from './generated/types.gen.ts';

/** Its `type` decides what `data` holds. */
export type WebhookEvent = Webhooks['body'];

/** Those of the Fetch API, or those of Node. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

/**
 * Resolves to the event if the host signed it with the webhook's secret in the last five minutes.
 * @param body exactly as received
 * @throws {GamehostError} with the code `invalid_webhook`; then answer with 400
 */
export async function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array,
): Promise<WebhookEvent> {
  try {
    const entries = Symbol.iterator in headers ? headers : Object.entries(headers);
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    const signed = Object.fromEntries([...entries].map(([name, value]) => [name, String(value)]));
    return new Webhook(secret).verify(text, signed) as WebhookEvent;
  } catch (cause) {
    const message = `The event is not valid: ${cause instanceof Error ? cause.message : cause}`;
    throw new GamehostError({ code: 'invalid_webhook', message, cause });
  }
}
