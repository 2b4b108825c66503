/** What the API and the account page have in common in how they manage webhooks. */

import type { z } from 'zod';
import { destinationsMax } from '../models/bounds.ts';
import type { newDelivery } from '../models/webhook/deliveries.ts';
import type { Destination, Maker, Owner } from '../models/webhook/destinations.ts';
import type { Caller } from './caller.ts';
import { formatRefusal } from './chat-addresses.ts';
import type { Context } from './context.ts';
import { badRequest, keyRefusals, notFound, notSignedIn } from './errors.ts';
import { recordExpiringKeys } from './events.ts';
import {
  presentDelivery,
  presentWebhook,
  type WebhookCreateRequest,
  type WebhookPatchRequest,
} from './schemas/webhook.ts';
import { checkOf } from './support/precondition.ts';

type Deps = Pick<Context, 'models' | 'clock' | 'webhookAddresses' | 'writeId' | 'precondition'>;

export function makerOf(caller: Caller): Pick<Maker, 'keyId' | 'madeBy'> {
  const { keyId } = caller;
  if (caller.kind === 'key') return { keyId, madeBy: caller.key.name };
  return caller.kind === 'app' ? { keyId, madeBy: caller.grant.app.name } : {};
}

/** Each as it is now that what outlived its key is turned off. */
export const listWebhooks = async ({ models, clock }: Deps, owner: Owner): Promise<Destination[]> =>
  models.credentials.settle(await models.webhooks.list(owner), new Date(clock()));

/**
 * @throws bad_request for an address that may not be called, and when there are too many
 */
export async function createWebhook(ctx: Deps, maker: Maker, input: z.output<typeof WebhookCreateRequest>) {
  const { models, clock } = ctx;
  await requireCallable(ctx, input);
  const now = new Date(clock());
  const added = await models.webhooks.add({ ...maker, ...input, events: unique(input.events) }, now);
  if (!added && !(await models.users.find(maker.userId))) throw ended(maker);
  if (!added)
    throw badRequest(`There are ${destinationsMax[maker.audience]} webhooks, the most there may be`);
  await tellExpiringKeys(ctx, added);
  return { webhook: presentWebhook(added), secret: shownSecret(models, added, now) };
}

/**
 * @param keyId the key that changes it, to which it belongs with an address of it; empty for the account page
 * @throws not_found, bad_request for an address that may not be called
 */
export async function changeWebhook(
  ctx: Deps,
  { keyId, ...owner }: Owner & { keyId: string },
  input: z.output<typeof WebhookPatchRequest>,
) {
  const { models, clock } = ctx;
  const { webhook_id: id, active: isActive, events, url, ...changes } = input;
  const endpoint = await findWebhook(ctx, owner, id);
  if (url !== undefined) await requireCallable(ctx, { url, format: endpoint.format });
  const now = new Date(clock());
  const isMoved = url !== undefined && url !== endpoint.url;
  const isRevived = isActive && endpoint.keyIds === null;
  const all = {
    ...changes,
    ...(isMoved && { url }),
    keyId: isMoved || isRevived ? keyId : undefined,
    isActive,
    events: events && unique(events),
  };
  const changed = await models.webhooks.change({ ...owner, id }, all, {
    now,
    check: checkOf(ctx, presentWebhook),
  });
  if (!changed) throw notFound('Webhook');
  if (events || isActive) await tellExpiringKeys(ctx, changed);
  return { webhook: presentWebhook(changed) };
}

/** The webhook is stored: its owner gets it, and its secret, even where this fails. */
const tellExpiringKeys = async (ctx: Deps, { audience, userId, isActive, events }: Destination) => {
  const isTold =
    audience === 'customer' && isActive && (events.includes('*') || events.includes('key.expiring'));
  if (isTold) await recordExpiringKeys(ctx, userId).catch(() => {});
};

/** The maker was deleted after the call was authorized. */
const ended = ({ keyId }: Maker) => (keyId === undefined ? notSignedIn() : keyRefusals.revoked);

/** @throws not_found, bad_request for discord */
export async function rotateSecret(ctx: Deps, owner: Owner, id: string) {
  const { models, clock } = ctx;
  const { format } = await findWebhook(ctx, owner, id);
  if (format === 'discord') throw badRequest('A Discord webhook has no secret; change its address instead');
  const now = new Date(clock());
  const rotated = await models.webhooks.rotateSecret(owner, id, now);
  if (!rotated) throw notFound('Webhook');
  return { webhook: presentWebhook(rotated), secret: shownSecret(models, rotated, now) };
}

type Models = Context['models'];

/** A write that is made again finds the delivery of its first try, and responds as that did. */
export async function addDelivery({ models, writeId }: Deps, delivery: ReturnType<typeof newDelivery>) {
  const { _id, endpointId } = delivery;
  await models.webhookDeliveries.addAll([delivery]);
  models.webhookEvents.announce();
  const first = writeId === undefined ? null : await models.webhookDeliveries.find(endpointId, _id);
  const { createdAt } = first ?? delivery;
  return presentDelivery({ ...delivery, createdAt, dueAt: createdAt });
}

/** @throws not_found */
export async function findWebhook({ models, clock }: Deps, owner: Owner, id: string): Promise<Destination> {
  const found = await models.webhooks.findOwned(owner, id);
  const [endpoint] = found ? await models.credentials.settle([found], new Date(clock())) : [];
  if (!endpoint) throw notFound('Webhook');
  return endpoint;
}

/** @throws not_found, bad_request for one that is off */
export async function findActive(ctx: Deps, owner: Owner, id: string): Promise<Destination> {
  const endpoint = await findWebhook(ctx, owner, id);
  if (!endpoint.isActive) throw badRequest('The webhook is off; turn it on first');
  return endpoint;
}

/** A webhook of Discord is called by its address alone. */
const shownSecret = ({ webhookSecrets }: Models, endpoint: Destination, now: Date) =>
  endpoint.format === 'discord' ? null : webhookSecrets.opened.signingSecrets(endpoint, now)[0];

async function requireCallable(
  { webhookAddresses }: Deps,
  { url, format }: Pick<Destination, 'url' | 'format'>,
) {
  const unfit = formatRefusal(url, format);
  if (unfit) throw badRequest(unfit);
  const refusal = await webhookAddresses.refusalOf(url);
  if (refusal) throw badRequest(`url ${refusal}`);
}

const unique = <Item>(items: readonly Item[]): Item[] => [...new Set(items)];
