/** A valid request for every operation, made from its schema alone, and the data that such requests refer to. */

import type { Connection } from 'mongoose';
import { z } from 'zod';
import { type Operation, readOperations, takesIdempotencyKey } from '../../bridge/operations.ts';
import { takesBody } from '../../bridge/rest/input.ts';
import type { Models } from '../../models/index.ts';
import { appRouter } from '../../routers/index.ts';
import { isAdminScope } from '../../routers/scopes.ts';
import { panelBackup, panelSchedule, panelServer } from './panel/attributes.ts';
import { rememberDocuments } from './remember-documents.ts';
import { hostSample, sampleInputOf, stoppedSample } from './sample-inputs.ts';
import { putWebhook } from './sample-webhooks.ts';
import type { TestService } from './service.ts';
import { manyBackups } from './stand-in-panel.ts';

export interface Sample {
  method: Operation['method'];
  path: string;
  body?: Record<string, unknown>;
}

/** The service's operations, known before any service starts. */
export const apiOperations = readOperations(appRouter);
export const keyedOperations = apiOperations.filter(({ scope }) => scope !== null);
export const mutations = apiOperations.filter(takesIdempotencyKey);

export const isForAdmins = ({ scope }: Operation) => scope !== null && isAdminScope(scope);

/** Operations on what belongs to one user: neither public, nor for administrators, nor about the key itself. */
export const ownedOperations = keyedOperations.filter(
  (row) => row.scope !== 'any' && row.scope !== 'read:catalog' && !isForAdmins(row),
);

/** The first of each kind, to test behaviour that depends only on the kind. */
export function oneOfEachKind<Item>(items: readonly Item[], kindOf: (item: Item) => unknown): Item[] {
  const firsts = new Map(items.map((item) => [JSON.stringify(kindOf(item)), item] as const).reverse());
  return [...firsts.values()].reverse();
}

/** The properties that decide a request's way through the service: its form in each protocol, and its limits. */
export const requestKindOf = (row: Operation) => ({
  method: row.method,
  slot: row.slot,
  hasTool: Boolean(row.tool),
  isOpen: row.scope === null,
});

/** PUT creates a missing resource under the name in its path, except schedules, whose id comes from the panel. */
export const isUpsert = ({ method, path }: { method: string; path: string }) =>
  method === 'PUT' && path.endsWith('}') && !path.endsWith('{schedule_id}');

/** A name for an operation's path that no resource has. */
export const missingNameOf = (row: Operation) =>
  typeof sampleInputOf(row)[row.pathParameters[0] ?? ''] === 'number' ? 999_999 : 'nowhere';

/** The sample input as a REST request with the smallest possible query. */
export const sampleOf = (row: Operation): Sample => {
  const { required = [] } = z.toJSONSchema(row.input, { io: 'input' });
  const isSent = ([field]: [string, unknown]) => takesBody(row) || required.includes(field);
  return restRequestOf(row, Object.fromEntries(Object.entries(sampleInputOf(row)).filter(isSent)));
};

export const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

/** The same request with a field that the schema does not know. */
export function withUnknownField(row: Operation): Sample {
  const { method, path, body } = sampleOf(row);
  return takesBody(row)
    ? { method, path, body: { ...body, surprise: 1 } }
    : { method, path: withQuery(path, 'surprise=1') };
}

/** The REST request that carries an input: path, and body or query. */
export function restRequestOf(row: Operation, input: Record<string, unknown>): Sample {
  const path = row.path.replace(/\{(\w+)\}/g, (_, field) => encodeURIComponent(textOf(input[field])));
  const rest = Object.entries(input).filter(([field]) => !row.pathParameters.includes(field));
  if (takesBody(row)) return { method: row.method, path, body: Object.fromEntries(rest) };
  const query = new URLSearchParams(Object.fromEntries(rest.map(([field, value]) => [field, textOf(value)])));
  return { method: row.method, path: query.size > 0 ? `${path}?${query}` : path };
}

const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

const existingSamples =
  'sample requests can refer to the game, user, subscription, server, backup and webhook "sample", the server "sample-off", ' +
  'schedule 1, and ticket and published announcement 1; for anything else add a line to addSamples() of test/support/samples.ts';

/** The message of a refused sample request, and the resources that such requests can refer to. */
export const explainRefusal = (error: { message: string } | undefined) =>
  error && `${error.message}: ${existingSamples}`;

/**
 * An administrator with a key, and everything that sample requests refer to (`existingSamples`). `restore` puts it back into the
 * state in which each of them succeeds; the loops over the operations call it after a request that writes.
 */
export async function addSamples(service: TestService) {
  const { models, panel } = service;
  const user = await service.addUser({ isAdmin: true, panelUserId: 7 });
  const { secret } = await service.addKey({ user });
  await service.call('POST', '/tickets', { key: secret, body: { title: 'Sample', message: 'Sample' } });
  await addStaffWork(models);
  await models.games.import([sampleGame]);
  await addProvisioned(models);
  await addAnnouncement(service.connection);
  await addWebhooks(service, user._id);
  await models.notices.applySettings(['customer'], new Date());
  const restoreDocuments = await rememberDocuments(service, samplesOf(user._id));
  const restore = async () => {
    const stopped = panelServer({ id: 6, identifier: stoppedSample, uuid: stoppedSample });
    panel.servers.set(7, [panelServer({ identifier: 'sample', feature_limits: manyBackups }), stopped]);
    panel.runStates.set(stoppedSample, 'offline');
    for (const identifier of ['sample', stoppedSample])
      panel.backups.set(identifier, [panelBackup({ uuid: 'sample' })]);
    panel.schedules.set('sample', [panelSchedule()]);
    panel.startups.clear();
    panel.files.delete('sample');
    panel.consoleLines.set('sample', ['Sample']); // the service waits longer for a silent console
    await restoreDocuments();
  };
  await restore();
  return { user, key: secret, restore };
}

/** Where the samples are, by collection. */
const samplesOf = (userId: number) => ({
  games: { _id: 'sample' },
  users: { externalId: 'sample' },
  subscriptions: { providerId: 'sample' },
  announcements: { _id: 1 },
  tickets: { _id: 1 },
  staff_texts: { _id: 1 },
  webhooks: { userId },
  webhook_deliveries: { endpointId: { $in: ['sample', hostSample] } },
});

async function addStaffWork({ staffTexts, tickets, transaction }: Models): Promise<void> {
  await tickets.assign({ ticketId: 1, to: 1 });
  const note = { userId: 1, title: '', text: 'Sample', createdAt: new Date() };
  await transaction((session) => staffTexts.add({ id: 1, userId: 1 }, note, session));
}

async function addProvisioned({ provisioning, subscriptions, transaction }: Models): Promise<void> {
  const now = new Date();
  const customer = { externalId: 'sample', email: 'sample@example.com', isActive: true };
  const put = await provisioning.put(customer, now);
  if (!('user' in put)) throw new Error('another user has the address of the sample');
  const wanted = { providerId: 'sample', userId: put.user._id, status: 'sample' };
  await transaction((session) => subscriptions.put([wanted], now, session));
}

/** Adds a customer's and the host's webhook, each with a delivery. */
async function addWebhooks(service: TestService, userId: number): Promise<void> {
  await putWebhook(service, { _id: 'sample', userId, audience: 'customer', deliveryId: 'sample' });
  await putWebhook(service, { _id: hostSample, userId, audience: 'host', deliveryId: hostSample });
}

async function addAnnouncement(connection: Connection): Promise<void> {
  const now = new Date();
  await connection.collection<{ _id: number }>('announcements').insertOne({
    ...{ _id: 1, title: 'Sample', summary: '', message: 'Sample', tag: null, status: 'published' },
    ...{ showInRibbon: false, publishedAt: now, createdAt: now, updatedAt: now },
  });
  const sequences = connection.collection<{ _id: string }>('sequences');
  await sequences.updateOne({ _id: 'announcement' }, { $max: { value: 1 } }, { upsert: true });
}

export const sampleGame = {
  _id: 'sample',
  title: 'Sample',
  description: 'A game to test with.',
  shortDesc: 'To test with.',
  category: 'Survival',
  icon: 'icon.svg',
  cover: 'cover.webp',
  banner: 'banner.webp',
  pricingBackground: 'pricing.webp',
  priceFrom: '4.99',
  plans: [
    {
      title: 'Small',
      subtitle: 'For friends',
      price: '4.99',
      period: 'month',
      popular: true,
      features: ['2 GB memory', '10 slots'],
      billingId: 'price_1',
    },
  ],
  isActive: true,
};
