/** Manages webhooks, for the API and the account page. */

import type { z } from 'zod';
import { destinationsMax } from '../../models/bounds.ts';
import type { newDelivery } from '../../models/outbox/deliveries.ts';
import type { DecryptedDestination, Maker, Owner } from '../../models/outbox/webhooks.ts';
import type { Caller } from '../caller.ts';
import type { Context, Transaction } from '../context.ts';
import { badRequest, keyRefusals, notFound, notSignedIn } from '../errors.ts';
import { recordExpiringKeys } from '../events.ts';
import { createVersionCheck } from '../support/precondition.ts';
import { writeOnce } from '../support/write-once.ts';
import { formatRefusal } from './chat-addresses.ts';
import {
  presentDelivery,
  presentWebhook,
  type Webhook,
  type WebhookCreateRequest,
  type WebhookPatchRequest,
} from './webhook-schema.ts';

type Deps = Pick<
  Context,
  'models' | 'caller' | 'clock' | 'webhookAddresses' | 'storeResponse' | 'precondition'
>;

export function makerOf(caller: Caller): Pick<Maker, 'keyId' | 'madeBy'> {
  const { keyId } = caller;
  if (caller.kind === 'key') return { keyId, madeBy: caller.key.name };
  return caller.kind === 'app' ? { keyId, madeBy: caller.grant.app.name } : {};
}

/** Turns off webhooks whose key has expired, then lists all. */
export const listWebhooks = async ({ models, clock }: Deps, owner: Owner): Promise<DecryptedDestination[]> =>
  models.credentials.endExpired(await models.webhooks.list(owner), new Date(clock()));

export async function createWebhook(ctx: Deps, maker: Maker, input: z.output<typeof WebhookCreateRequest>) {
  const { models, clock } = ctx;
  await requireCallable(ctx, input);
  const now = new Date(clock());
  const wanted = { ...maker, ...input, events: unique(input.events) };
  const created = await writeOnce(ctx, async (transaction) => {
    const added = await models.webhooks.add(wanted, now, transaction);
    if (!added && !(await models.users.find(maker.userId))) throw makerGone(maker);
    if (!added)
      throw badRequest(`You have ${destinationsMax[maker.audience]} webhooks, the maximum; delete one first`);
    return { webhook: presentWebhook(added), secret: shownSecret(models, added, now) };
  });
  await announceExpiringKeys(ctx, maker, created.webhook);
  return created;
}

/**
 * @param keyId the key that makes the change, empty for the account page. It becomes the webhook's key if the change sets
 *   a new address, or turns on a webhook that has no key.
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
  const isRevived = isActive && endpoint.keyId === null;
  const all = {
    ...changes,
    ...(isMoved && { url }),
    keyId: isMoved || isRevived ? keyId : undefined,
    isActive,
    events: events && unique(events),
  };
  const check = createVersionCheck(ctx, presentWebhook);
  const result = await writeOnce(ctx, async (transaction) => {
    const changed = await models.webhooks.change({ ...owner, id }, all, { now, check, transaction });
    if (!changed) throw notFound('Webhook');
    return { webhook: presentWebhook(changed) };
  });
  // If this fails, the sender drops the remaining deliveries.
  if (isActive === false) await models.webhooks.failWaitingIfOff(id).catch(() => {});
  if (events || isActive) await announceExpiringKeys(ctx, owner, result.webhook);
  return result;
}

/** Failures are ignored: the webhook is stored, and its owner must get it and its secret. */
async function announceExpiringKeys(
  ctx: Deps,
  { audience, userId }: Owner,
  { active, events }: z.output<typeof Webhook>,
): Promise<void> {
  const getsExpiringKeys =
    audience === 'customer' && active && (events.includes('*') || events.includes('key.expiring'));
  if (getsExpiringKeys) await recordExpiringKeys(ctx, userId).catch(() => {});
}

export async function deleteWebhook(ctx: Deps, owner: Owner, id: string) {
  const { webhooks, deliveries } = ctx.models;
  const deleted = await writeOnce(ctx, async (transaction) => {
    if (!(await webhooks.delete(owner, id, transaction))) throw notFound('Webhook');
    return { deleted: true as const };
  });
  // There may be too many deliveries for the transaction. No call shows them any more.
  await deliveries.removeOf(id).catch(() => {});
  return deleted;
}

/** For a call whose user or key was deleted after the call was authorized. */
const makerGone = ({ keyId }: Maker) => (keyId === undefined ? notSignedIn() : keyRefusals.revoked);

export async function rotateSecret(ctx: Deps, owner: Owner, id: string) {
  const { models, clock } = ctx;
  const { format } = await findWebhook(ctx, owner, id);
  if (format === 'discord') throw discordHasNoSecret();
  const now = new Date(clock());
  return writeOnce(ctx, async (transaction) => {
    const rotated = await models.webhooks.rotateSecret({ ...owner, id }, now, transaction);
    if (!rotated) throw notFound('Webhook');
    return { webhook: presentWebhook(rotated), secret: shownSecret(models, rotated, now) };
  });
}

type Models = Context['models'];

export async function addDelivery(
  { models }: Deps,
  delivery: ReturnType<typeof newDelivery>,
  transaction: Transaction,
) {
  await models.deliveries.addAll([delivery], transaction);
  return { delivery: presentDelivery(delivery) };
}

export async function findWebhook(
  { models, clock }: Deps,
  owner: Owner,
  id: string,
): Promise<DecryptedDestination> {
  const found = await models.webhooks.findOwned(owner, id);
  const [endpoint] = found ? await models.credentials.endExpired([found], new Date(clock())) : [];
  if (!endpoint) throw notFound('Webhook');
  return endpoint;
}

export const webhookOff = () => badRequest('The webhook is off; turn it on first');
export const discordHasNoSecret = () =>
  badRequest('A Discord webhook has no secret; change its address instead');

export async function findActive(ctx: Deps, owner: Owner, id: string): Promise<DecryptedDestination> {
  const endpoint = await findWebhook(ctx, owner, id);
  if (!endpoint.isActive) throw webhookOff();
  return endpoint;
}

/** Discord authenticates by the address alone, so its webhooks have no secret. */
const shownSecret = ({ webhooks }: Models, endpoint: DecryptedDestination, now: Date) =>
  endpoint.format === 'discord' ? null : webhooks.signingSecrets(endpoint, now)[0];

async function requireCallable(
  { webhookAddresses }: Deps,
  { url, format }: Pick<DecryptedDestination, 'url' | 'format'>,
) {
  const unfit = formatRefusal(url, format);
  if (unfit) throw badRequest(unfit);
  const refusal = await webhookAddresses.refusalOf(url);
  if (refusal) throw badRequest(`url ${refusal}`);
}

const unique = <Item>(items: readonly Item[]): Item[] => [...new Set(items)];
