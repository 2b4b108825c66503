/** Turns events into deliveries: one for each active endpoint that subscribes to them. It may be repeated. */
import type { Models } from '../../models/index.ts';
import { newDelivery } from '../../models/webhook/deliveries.ts';
import type { EndpointRecord, EventRecord } from '../../models/webhook/schema.ts';

/** Endpoints of an event for everybody that are read at once. */
const pageSize = 500;

/** What happened longer ago than this before an endpoint was turned on is not for it; clocks of processes may differ. */
const clockToleranceMs = 30_000;

/** Stores their deliveries and wakes the endpoints. */
export async function fanOut(models: Models, events: readonly EventRecord[], now: Date): Promise<void> {
  const owners = [...new Set(events.flatMap(({ userId }) => userId ?? []))];
  const endpoints = await models.webhooks.listActive(owners);
  await addDeliveries(models, { events, endpoints, now });
  const forAll = events.filter(({ userId }) => userId === null);
  if (forAll.length > 0) await fanOutToAll(models, forAll, now);
  await models.webhookEvents.finishFanOut(events.map(({ _id }) => _id));
}

async function fanOutToAll(models: Models, events: readonly EventRecord[], now: Date): Promise<void> {
  for (let after = ''; ; ) {
    const endpoints = await models.webhooks.listActivePage(after, pageSize);
    await addDeliveries(models, { events, endpoints, now });
    const last = endpoints.at(-1);
    if (!last || endpoints.length < pageSize) return;
    after = last._id;
  }
}

interface Batch {
  events: readonly EventRecord[];
  endpoints: readonly EndpointRecord[];
  now: Date;
}

async function addDeliveries(models: Models, { events, endpoints, now }: Batch): Promise<void> {
  const entitled = await keepEntitled({ models, now }, endpoints);
  const deliveries = events.flatMap((event) =>
    entitled
      .filter((endpoint) => isFor(event, endpoint))
      .map((endpoint) => newDelivery(event, endpoint, now)),
  );
  await models.webhookDeliveries.addAll(deliveries);
  const woken = new Set(deliveries.map(({ endpointId }) => endpointId));
  await models.webhookSchedule.wake([...woken], now);
}

function isFor({ type, userId, at }: EventRecord, endpoint: EndpointRecord): boolean {
  if (endpoint.audience === 'customer' && userId !== null && endpoint.userId !== userId) return false;
  if (endpoint.activeSince.getTime() - at.getTime() > clockToleranceMs) return false;
  return endpoint.events.some((wanted) => wanted === '*' || wanted === type);
}

interface Now {
  models: Models;
  now: Date;
}

async function keepEntitled(deps: Now, endpoints: readonly EndpointRecord[]) {
  const checks = endpoints.map((endpoint) => isEntitled(deps, endpoint));
  const entitled = await Promise.all(checks);
  return endpoints.filter((_, index) => entitled[index]);
}

/** Whether an endpoint may have events now: its owner, and what made it. One that outlived that is turned off. */
export async function isEntitled({ models, now }: Now, endpoint: EndpointRecord): Promise<boolean> {
  const user = await models.users.find(endpoint.userId);
  if (!user?.isActive) return false;
  if (endpoint.audience === 'host' && !user.isAdmin) return false;
  const [settled] = await models.credentials.settle([endpoint], now);
  return settled?.isActive ?? false;
}
