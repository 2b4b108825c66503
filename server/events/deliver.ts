/** One attempt at one delivery: what is sent, and what follows from how it ended. */
import type { Models } from '../../models/index.ts';
import type { ClaimedDelivery } from '../../models/webhook/deliveries.ts';
import type { Endpoint } from '../../models/webhook/endpoints.ts';
import type { Attempt, Audience, EndpointRecord, EventRecord } from '../../models/webhook/schema.ts';
import type { Clock } from '../../routers/ports.ts';
import { discordBody, discordUrl } from './discord.ts';
import { bodyOf, dataFor, signedHeaders } from './payload.ts';
import type { PostFn, PostResult } from './post.ts';
import type { WebhookConfig } from './settings.ts';

export interface DeliverDeps {
  models: Models;
  clock: Clock;
  post: PostFn;
  settings: Pick<WebhookConfig, 'retryMs' | 'disableAfterMs'>;
  onAttempt: (outcome: string) => void;
}

interface Delivery {
  endpoint: Endpoint;
  delivery: ClaimedDelivery;
  event: EventRecord;
}

/** Failures that disable a webhook of Discord: it was deleted, or its address is wrong. */
const goneAtDiscord = [401, 403, 404];
const gone = 410;
const failuresMin = 3;
const jitter = 0.1;

/** How many deliveries may wait for one endpoint; an import of all customers comes to the host's at once. */
const waitingMax: Record<Audience, number> = { customer: 10_000, host: 100_000 };

/** Makes the attempt and stores how it ended; resolves to when the next is due, if there is one. */
export async function deliver(deps: DeliverDeps, delivery: Delivery): Promise<Date | null> {
  const { clock, post } = deps;
  const at = new Date(clock());
  const result = wasInterrupted(delivery) ? interrupted : await post(requestOf(deps, delivery, at));
  const { status, error, durationMs, discordCode } = result;
  deps.onAttempt(error ?? 'success');
  const isOfDiscord = delivery.endpoint.format === 'discord' && discordCode !== undefined;
  const attempt = { at, status, error, durationMs, ...(isOfDiscord && { discordCode }) };
  return settle(deps, { ...delivery, result, attempt });
}

/** A message of Discord that may have been sent is not sent again. */
const wasInterrupted = ({ endpoint, delivery }: Delivery) =>
  endpoint.format === 'discord' && delivery.begunCount > delivery.attempts.length + 1;

const interrupted: PostResult = {
  ...{ status: null, error: 'connection', durationMs: 0, retryAfterMs: null, isUncertain: true },
};

function requestOf({ models }: DeliverDeps, { endpoint, event }: Delivery, at: Date) {
  if (endpoint.format === 'discord') {
    const body = discordBody(event, dataFor(event, endpoint.audience));
    return { url: discordUrl(endpoint.url), body, headers: {} };
  }
  const body = bodyOf(event, endpoint.audience);
  const secrets = models.webhookSecrets.opened.signingSecrets(endpoint, at);
  return { url: endpoint.url, body, headers: signedHeaders({ id: event._id, at, body, secrets }) };
}

interface Settlement extends Delivery {
  result: PostResult;
  attempt: Attempt;
}

async function settle(deps: DeliverDeps, ended: Settlement): Promise<Date | null> {
  const { models, clock } = deps;
  const { endpoint, delivery, attempt, result } = ended;
  const now = new Date(clock());
  const retryAt = attempt.error === null ? null : retryTimeOf(deps, ended, now);
  // One more message would be refused, whichever it is.
  if (endpoint.format === 'discord' && result.retryAfterMs)
    await models.webhookSchedule.pause(endpoint, new Date(now.getTime() + result.retryAfterMs));
  // Before the attempt is shown: the page reads the endpoint as soon as it is.
  const failures =
    attempt.error === null
      ? await models.webhookSchedule.recordSuccess(endpoint, now)
      : await models.webhookSchedule.recordFailure(endpoint, now);
  await models.webhookDeliveries.complete({ delivery, attempt, retryAt });
  if (!failures) return null;
  const reason = disablingReason(ended, result.status) ?? (await lastingReason(deps, ended, failures));
  if (reason) await models.webhooks.disable(endpoint._id, reason);
  return retryAt;
}

/** Null: never. */
function retryTimeOf({ settings }: DeliverDeps, { endpoint, delivery, result }: Settlement, now: Date) {
  const delayMs = settings.retryMs[delivery.attempts.length];
  if (delayMs === undefined) return null;
  if (endpoint.format === 'discord' && result.isUncertain) return null;
  const spread = delayMs * (1 + jitter * Math.random());
  return new Date(now.getTime() + Math.max(spread, result.retryAfterMs ?? 0));
}

function disablingReason({ endpoint }: Settlement, status: number | null): string | null {
  if (status === gone) return 'The receiver answered 410: it is gone';
  if (endpoint.format === 'discord' && status !== null && goneAtDiscord.includes(status))
    return `Discord answered ${status}: the webhook does not exist any more`;
  return null;
}

async function lastingReason(
  { models, settings }: DeliverDeps,
  { endpoint, attempt }: Settlement,
  { since, count }: { since: Date; count: number },
): Promise<string | null> {
  const hours = Math.round(settings.disableAfterMs / 3_600_000);
  if (count >= failuresMin && attempt.at.getTime() - since.getTime() >= settings.disableAfterMs)
    return `No delivery succeeded for ${hours === 1 ? '1 hour' : `${hours} hours`}`;
  // Counting is not for every failure.
  return count % 100 === 0 ? overflowReason(models, endpoint) : null;
}

/** Why an endpoint for which too much waits is turned off; null for any other. */
export async function overflowReason(
  { webhookDeliveries }: Models,
  { _id, audience }: Pick<EndpointRecord, '_id' | 'audience'>,
): Promise<string | null> {
  const max = waitingMax[audience];
  const waiting = await webhookDeliveries.countWaiting(_id, max);
  return waiting >= max ? `${max} events were waiting for it` : null;
}
