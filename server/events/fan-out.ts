/** Turns events into deliveries: one for each active destination that subscribes to them. It may be repeated. */
import type { Models } from '../../models/index.ts';
import { newDelivery } from '../../models/webhook/deliveries.ts';
import type { DestinationRecord, EventRecord } from '../../models/webhook/schema.ts';

/** Destinations of an event for everybody that are read at once. */
const pageSize = 500;

/** What happened longer ago than this before a destination was turned on is not for it; clocks of processes may differ. */
const clockToleranceMs = 30_000;

/** Stores their deliveries; resolves to the ids of the destinations that have them. */
export async function fanOut(models: Models, events: readonly EventRecord[], now: Date): Promise<string[]> {
  const isForAll = events.some(({ userId }) => userId === null);
  const owners = isForAll ? null : [...new Set(events.flatMap(({ userId }) => userId ?? []))];
  const ids = new Set<string>();
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: DestinationRecord[] = await models.webhooks.listActive(owners, { after, limit: pageSize });
    const entitled = await Promise.all(page.map((each) => isEntitled({ models, now }, each)));
    const deliveries = page.flatMap((each, index) =>
      events
        .filter((event) => entitled[index] && isFor(event, each))
        .map((event) => newDelivery(event, each, now)),
    );
    await models.webhookDeliveries.addAll(deliveries);
    for (const { endpointId } of deliveries) ids.add(endpointId);
    after = page.length < pageSize ? undefined : page.at(-1)?._id;
  }
  await models.webhookEvents.finishFanOut(events.map(({ _id }) => _id));
  return [...ids];
}

function isFor({ type, userId, at }: EventRecord, destination: DestinationRecord): boolean {
  if (destination.audience === 'customer' && userId !== null && destination.userId !== userId) return false;
  if (destination.activeSince.getTime() - at.getTime() > clockToleranceMs) return false;
  return destination.events.some((wanted) => wanted === '*' || wanted === type);
}

/** Whether a destination may have events now: its owner, and what made it. One that outlived that is turned off. */
export async function isEntitled(
  { models, now }: { models: Models; now: Date },
  destination: DestinationRecord,
): Promise<boolean> {
  const user = await models.users.find(destination.userId);
  if (!user?.isActive) return false;
  if (destination.audience === 'host' && !user.isAdmin) return false;
  const [settled] = await models.credentials.settle([destination], now);
  return settled?.isActive ?? false;
}
