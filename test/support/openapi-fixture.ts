/** Services that produce the documented answers: a healthy one, one with one call a minute, a full one, one without its database. */
import { exampleServerId } from '../../routers/schemas/common.ts';
import { type Scope, scopes } from '../../routers/scopes.ts';
import { exampleDeliveryId, exampleWebhookId } from '../../routers/webhooks/webhook-schema.ts';
import { demoEmail, seedDemo } from '../../server/dev/demo-data.ts';
import {
  type DocumentedOperation,
  type DocumentedRequest,
  exampleRequest,
  strangeRequests,
  wrongRequests,
} from './openapi-reader.ts';
import { type Ask, ownBadRequests, ownConflicts, writeLate } from './own-refusals.ts';
import { panelBackup, panelSchedule, panelServer, panelStartup } from './panel/attributes.ts';
import { rememberDocuments } from './remember-documents.ts';
import { putWebhook } from './sample-webhooks.ts';
import { isUpsert } from './samples.ts';
import { type Answer, startTestService, type TestService } from './service.ts';
import { manyBackups } from './stand-in-panel.ts';

export type OpenApiFixture = Awaited<ReturnType<typeof openOpenApiFixture>>;

export async function openOpenApiFixture() {
  const [service, limited, full, broken] = await Promise.all([
    startTestService({ rateLimitPerMinute: 1_000_000 }),
    startTestService({ rateLimitPerMinute: 1 }),
    startTestService({ config: { inFlightMax: 0 } }),
    startTestService(),
  ]);
  const exampled = await addExamples(service);
  const { secret: brokenKey } = await broken.addKey();
  await broken.connection.close();
  return {
    ...{ service, limited, full, broken, brokenKey, ...exampled },
    async close() {
      await broken.connection.openUri(broken.databaseUri);
      for (const each of [service, limited, full, broken]) await each.stop();
    },
  };
}

/** The demo data that the document's examples use, and its server. */
async function addExamples(service: TestService) {
  const demo = await seedDemo(service.models, { scopes, expiresAt: null }, new Date());
  const user = await service.models.users.findByEmail(demoEmail);
  if (!demo || !user?.panelUserId) throw new Error('there is no demo data');
  const { lateWrite } = await writeLate(service, await addProvisioned(service));
  void Promise.allSettled([lateWrite]); // the service may stop before it answers
  const note = { userId: user._id, title: '', text: 'Asks often.', createdAt: new Date() };
  const { staffTexts, transaction } = service.models;
  await transaction((session) => staffTexts.add({ id: 1, userId: user._id }, note, session));
  return { user, key: demo.key, lateWrite, restoreDemo: await rememberDocuments(service, demoDocuments) };
}

/** The webhook of the examples: the customer's in one half of the document and the host's in the other. */
export const restoreWebhook = ({ service, user }: OpenApiFixture, { path }: DocumentedOperation) =>
  putWebhook(service, {
    ...{ _id: exampleWebhookId, deliveryId: exampleDeliveryId, userId: user._id },
    audience: path.startsWith('/admin/') ? 'host' : 'customer',
  });

/** New each time, as a restore changes it. */
const exampleServer = () =>
  panelServer({
    ...{ identifier: exampleServerId, uuid: `${exampleServerId}-4b0d-4c57-9a43-5d2be7f09a11` },
    feature_limits: manyBackups,
  });

/** The server of the examples, with its startup, backup and schedule; a restore needs a stopped server. */
export function restoreServer({ service, user }: OpenApiFixture, { path }: DocumentedOperation): void {
  const server = exampleServer();
  service.clock.advance(60_000); // past their cached state
  service.panel.servers.set(user.panelUserId ?? 0, [server]);
  const created_at = new Date(service.clock.now()).toISOString();
  service.panel.backups.set(server.identifier, [panelBackup({ created_at })]);
  const imageOf = (version: number) => `ghcr.io/pterodactyl/yolks:java_${version}`;
  const images = { 'Java 17': imageOf(17), 'Java 21': imageOf(21) };
  service.panel.startups.set(server.identifier, { ...panelStartup(), images });
  server.container.image = imageOf(17);
  service.panel.schedules.set(server.identifier, [panelSchedule()]);
  service.panel.runStates.set(server.identifier, path.endsWith('/restore') ? 'offline' : 'running');
}

/** Adds three items to every list, and more files than a page has. */
export async function addListed({ service, key, user }: OpenApiFixture): Promise<void> {
  const post = (path: string, body: object) => service.call('POST', path, { key, body });
  for (const title of ['One', 'Two', 'Three']) {
    await post('/tickets', { title, message: title });
    await post('/tickets/1/reply', { message: title });
    await post('/admin/announcements', { title, message: title, status: 'published' });
    await service.addUser();
  }
  await service.flushAudit();
  const others = [2, 3].map((id) => panelServer({ id, identifier: `of-${id}`, uuid: `of-${id}` }));
  service.panel.servers.set(user.panelUserId ?? 0, [exampleServer(), ...others]);
  const files = service.panel.filesOf(exampleServer());
  for (let count = 0; count <= 1000; count += 1) files.write(`/file-${count}.txt`, '', 0);
}

/** Adds three deliveries to the webhook of these deliveries. */
export async function addDeliveries(documented: DocumentedOperation, fixture: OpenApiFixture): Promise<void> {
  await restoreWebhook(fixture, documented);
  const { path } = exampleRequest(documented);
  const test = path.replace('/deliveries', '/test');
  for (let count = 0; count < 3; count += 1) await fixture.service.call('POST', test, { key: fixture.key });
}

async function addProvisioned({ models, connection, panel }: TestService) {
  const now = new Date();
  await models.notices.applySettings(['customer'], now);
  const customer = await models.provisioning.put(
    { externalId: 'customer-1042', email: 'dana@example.com', panelUserId: 1042 },
    now,
  );
  panel.servers.set(1042, [panelServer({ id: 1042, identifier: 'of-1042', uuid: 'of-1042' })]);
  if (!('user' in customer)) throw new Error('the address of the example is taken');
  const subscription = { providerId: 'sub_1NabcDEF', userId: customer.user._id, status: 'active' };
  await models.transaction((session) => models.subscriptions.put([subscription], now, session));
  const announcements = connection.collection<{ _id: number; writeId?: string }>('announcements');
  const { _id, ...announcement } = (await announcements.findOne()) ?? { _id: 0 };
  await announcements.insertOne({ ...announcement, _id: 12, writeId: 'example' });
  return customer.user;
}

const demoCollections = ['announcements', 'games', 'subscriptions', 'tickets', 'users'];
const demoDocuments = Object.fromEntries(demoCollections.map((name) => [name, {}]));

/** Resolves to the answer, or to several when each covers a part of the documentation. */
type Provocation = (operation: DocumentedOperation, fixture: OpenApiFixture) => Promise<Answer | Answer[]>;

const succeed: Provocation = async (operation, fixture) => {
  await fixture.service.flushAudit(); // some operations show it
  const answer = await send(fixture.service, exampleRequest(operation), fixture.key);
  await restoreAfter(operation, fixture);
  return answer;
};

/** Restores the demo data that a call has changed or deleted. */
export async function restore({ service, restoreDemo }: OpenApiFixture): Promise<void> {
  await restoreDemo();
  service.panel.files.clear();
}

const restoreAfter = async ({ method }: DocumentedOperation, fixture: OpenApiFixture) =>
  method === 'GET' ? fixture.service.panel.files.clear() : restore(fixture);

/** Deletes what the request names first, so that a PUT creates it. */
const create: Provocation = async (operation, fixture) => {
  const { method, path, body } = exampleRequest(operation);
  const name = decodeURIComponent(path.split('/').at(-1) ?? '');
  const named = { $or: [{ _id: name }, { externalId: name }, { providerId: name }] };
  if (method === 'PUT')
    for (const collection of demoCollections)
      await fixture.service.connection.collection<NamedDocument>(collection).deleteMany(named);
  fixture.service.panel.filesOf(exampleServer()).delete(String(body?.['file']));
  return succeed(operation, fixture);
};

interface NamedDocument {
  _id: string;
  externalId?: string;
  providerId?: string;
}

const largestBodyBytesMax = 2 * 1024 * 1024;

/** Makes the service answer any operation with each status. */
export const provocations: Partial<Record<number, Provocation>> = {
  200: succeed,
  201: create,
  202: succeed,

  async 400(operation, fixture) {
    const { service, key } = fixture;
    const refuse = ownBadRequests[operation.operation.operationId];
    if (refuse)
      return refuse(createAsk(operation, fixture), fixture).finally(() => restoreAfter(operation, fixture));
    const answers = [];
    for (const request of wrongRequests(operation)) answers.push(await send(service, request, key));
    const refused = answers.find(({ status }) => status === 400);
    if (!refused) throw new Error('no wrong request was refused');
    return refused;
  },

  401: (operation, { service }) => send(service, exampleRequest(operation), null),

  async 403(operation, { service, user }) {
    const required = operation.operation['x-required-scope'];
    const newKey = { userId: user._id, name: 'test', expiresAt: null };
    const others = { ...newKey, scopes: scopes.filter((scope) => scope !== required) };
    // Operations that accept any key refuse one from a wrong address.
    const refused = required ? others : { ...others, addresses: ['192.0.2.1'] };
    const { secret } = await service.models.apiKeys.issue(refused, new Date());
    return send(service, exampleRequest(operation), secret);
  },

  async 404(operation, fixture) {
    const { service, key } = fixture;
    if (!operation.path.includes('{')) return sendFromNobody(operation, service);
    const ofUnknownId = isUpsert(operation) ? [withUnknownId(exampleRequest(operation))] : [];
    const answers = [];
    for (const request of [...strangeRequests(operation), ...ofUnknownId]) {
      answers.push(await send(service, request, key));
      await restoreAfter(operation, fixture);
    }
    return answers.filter(({ status }) => status === 404);
  },

  async 409(operation, fixture) {
    const refuse = ownConflicts[operation.operation.operationId];
    const own = refuse ? [await refuse(createAsk(operation, fixture), fixture)] : [];
    await restoreAfter(operation, fixture);
    restoreServer(fixture, operation);
    const takesKey = operation.operation.parameters?.some(({ name }) => name === 'Idempotency-Key');
    return takesKey ? [...own, await repeatWhileInProgress(operation, fixture)] : own;
  },

  412(operation, { service, key }) {
    const { method, path, body } = exampleRequest(operation);
    return service.call(method, path, { key, body, headers: { 'If-Match': '"another"' } });
  },

  413: (operation, { service, key }) => {
    const { body, ...request } = exampleRequest(operation);
    const text = `${JSON.stringify(body ?? {})}${' '.repeat(largestBodyBytesMax)}`;
    return service.call(request.method, request.path, { key, body: text });
  },

  async 429(operation, { limited }) {
    const { secret } = await limited.addKey();
    const answers = [await send(limited, exampleRequest(operation), secret)];
    // Public operations are limited by address: sixty calls and one.
    const callsMax = operation.operation.security?.length === 0 ? 60 : 1;
    for (let calls = 0; calls < callsMax; calls += 1)
      answers.push(await send(limited, exampleRequest(operation), secret));
    return answers.at(-1) as Answer; // two at least
  },

  500: (operation, { broken, brokenKey }) => send(broken, exampleRequest(operation), brokenKey),

  async 502(operation, { service, key }) {
    service.clock.advance(60_000); // past the cached list of servers
    service.panel.failWith(429, 'ThrottleRequestsException', { headers: { 'Retry-After': '30' } });
    const answer = await send(service, exampleRequest(operation), key);
    service.panel.recover();
    service.clock.advance(60_000); // past the panel's Retry-After
    return answer;
  },

  503: (operation, { full, key }) => send(full, exampleRequest(operation), key),
};

const createAsk =
  (operation: DocumentedOperation, { service, key }: OpenApiFixture): Ask =>
  ({ path, body } = {}) => {
    const example = exampleRequest(operation);
    const changed = { ...(path && { path }), ...(body && { body: { ...example.body, ...body } }) };
    return send(service, { ...example, ...changed }, key);
  };

async function repeatWhileInProgress(
  operation: DocumentedOperation,
  fixture: OpenApiFixture,
): Promise<Answer> {
  const { service, key } = fixture;
  const { method, path, body } = exampleRequest(operation);
  const idempotencyKey = `in progress: ${method} ${path}`;
  const ask = () => service.call(method, path, { key, body, headers: { 'Idempotency-Key': idempotencyKey } });
  await ask();
  await markInProgress(service, idempotencyKey);
  const answer = ask();
  const passing = setInterval(() => service.clock.advance(1000), 5); // the five seconds that a duplicate waits
  await answer;
  clearInterval(passing);
  await restoreAfter(operation, fixture);
  return answer;
}

async function markInProgress({ connection, clock }: TestService, idempotencyKey: string): Promise<void> {
  const { matchedCount } = await connection
    .collection<{ _id: string }>('idempotency_records')
    .updateOne(
      { _id: { $regex: `:${idempotencyKey}$` } },
      { $set: { answer: null, leaseEndsAt: new Date(clock.now() + 60_000) }, $unset: { made: 1 } },
    );
  if (matchedCount !== 1) throw new Error('there is no such call');
}

async function sendFromNobody(documented: DocumentedOperation, service: TestService): Promise<Answer> {
  const scope = documented.operation['x-required-scope'] as Scope; // it comes from an operation
  const { user, secret } = await service.addKey({ scopes: [scope] });
  await service.connection.collection<{ _id: number }>('users').deleteOne({ _id: user._id });
  return send(service, exampleRequest(documented), secret);
}

/** Replaces the id of the user in the path by an unknown one. */
const withUnknownId = ({ path, ...request }: DocumentedRequest): DocumentedRequest => ({
  ...request,
  path: path.replace(/[^/]+$/, '~999999999'),
});

const send = (service: TestService, { method, path, body }: DocumentedRequest, key: string | null) =>
  service.call(method, path, { key, ...(body && { body }) });
