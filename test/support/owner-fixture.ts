/** One of each resource that a user can own, with every value that would identify it to another user. */
import type { mongo } from 'mongoose';
import { newDelivery } from '../../models/outbox/deliveries.ts';
import { panelServer } from './panel/attributes.ts';
import type { Caller } from './protocol-clients.ts';
import { storeAuthenticatorApp } from './second-factor.ts';
import type { TestService } from './service.ts';

const ownerlessCollections = [
  'announcements',
  'file_leases',
  'games',
  'oauth_clients',
  'oauth_requests',
  'process_leases',
  'sequences',
  'server_changes',
  'server_watches',
  'webhook_state',
];

export interface OwnerFixture extends Caller {
  token: string;
  /** Identifiers: ids, references, addresses, prefixes. An attacker who knows one may try it. */
  names: (string | number)[];
  /** Everything private to this user, including names and secrets. */
  values: string[];
}

/** Ids so large that they occur in no text by chance. */
async function countFrom(service: TestService, value: number): Promise<void> {
  const sequences = service.connection.collection<{ _id: string; value: number }>('sequences');
  for (const _id of ['user', 'ticket'])
    await sequences.updateOne({ _id }, { $set: { value } }, { upsert: true });
}

/** A new caller who owns one of everything, including tickets and keys in each state. */
export async function addOwner(service: TestService): Promise<OwnerFixture> {
  await countFrom(service, 81_000_000);
  const chat = { chatId: 'chat-id-of-theirs', chatUsername: 'chat-name-of-theirs' };
  const person = { email: 'theirs@example.com', nickname: 'nickname-of-theirs', ...chat };
  const user = await service.addUser({ ...person, panelUserId: 93_000_007 });
  const { secret: key } = await service.addKey({ user });
  const server = panelServer({
    ...{ id: 94_000_005, identifier: 'their-01', uuid: 'c0ffee00-259b-452e-8b4e-cecc464142ca' },
    ...{ name: 'server-of-theirs', description: 'description-of-theirs' },
  });
  service.panel.servers.set(93_000_007, [server]);
  await addTickets(service, key);
  await addNote(service, user._id);
  await addKeys(service, { user, key });
  await addConnectedApp(service, user._id);
  await addWebhook(service, user._id);
  await storeAuthenticatorApp(service, user._id, 'factor-of-theirs');
  const provider = { providerId: 'provider-of-theirs', status: 'status-of-theirs' };
  await service.models.subscriptions.add({ userId: user._id, ...provider }, new Date());
  const { token } = await service.models.sessions.open({ user }, new Date(service.clock.now()));
  await service.flushAudit();
  const owned = [server, ...(await documentsOfUser(service, user._id))];
  const values = owned.flatMap((document) => leavesOf(document)).filter(isIdentifying);
  return {
    ...{ user, key, token },
    names: namesIn(owned),
    values: [...new Set([key, token, ...values.map(([, value]) => String(value))])],
  };
}

async function addTickets(service: TestService, key: string): Promise<void> {
  for (const state of ['New', 'Active', 'Closed', 'Archived'] as const) {
    const body = { title: `title-of-theirs-${state}`, message: `message-of-theirs-${state}` };
    const service_reference = `reference-of-theirs-${state}`;
    const headers = { 'Idempotency-Key': `once-of-theirs-${state}` };
    const answer = await service.call('POST', '/tickets', {
      key,
      body: { ...body, service_reference },
      headers,
    });
    const { id } = answer.body.ticket;
    if (state === 'Active')
      await service.call('POST', `/tickets/${id}/reply`, { key, body: { message: 'reply-of-theirs' } });
    if (state === 'Closed' || state === 'Archived')
      await service.models.tickets.setStatus({ id, status: state }, new Date());
  }
}

async function addNote({ models }: TestService, userId: number): Promise<void> {
  const [newest] = await models.tickets.list(userId);
  const note = {
    id: 'note-id-of-theirs',
    userId: 1,
    title: '',
    text: 'note-on-theirs',
    createdAt: new Date(),
  };
  const list = { id: newest?._id ?? 0, userId };
  await models.transaction((session) => models.staffTexts.add(list, note, session));
}

async function addKeys({ models, addKey }: TestService, { user }: Caller): Promise<void> {
  const now = new Date();
  await models.identities.link(
    { issuer: 'https://id.example', subject: 'subject-of-theirs', userId: user._id },
    now,
  );
  await models.signInLinks.create(user._id, now);
  const revoked = await addKey({ user });
  await models.apiKeys.revoke(revoked.key._id, now);
  await addKey({ user, expiresAt: now });
  const rotated = await addKey({ user });
  const { _id: id, scopes: allowedScopes } = rotated.key;
  await models.transaction((session) =>
    models.apiKeys.rotate({ userId: user._id, id, overlapMs: 60_000, allowedScopes }, now, session),
  );
}

async function addConnectedApp({ models, clock }: TestService, userId: number): Promise<void> {
  const now = new Date(clock.now());
  const app = { clientId: 'client-of-theirs', name: 'app-of-theirs', verifiedHost: null };
  const newGrant = { userId, app, scopes: ['read:account'], refusedScopes: [] };
  const grant = await models.transaction((session) => models.oauthGrants.add(newGrant, now, session));
  const expiresAt = new Date(now.getTime() + 3_600_000);
  const token = { userId, grantId: grant?._id ?? '', scopes: [], payload: '{}', expiresAt };
  await models.oauthTokens.add('token-of-theirs', { ...token, kind: 'AccessToken' }, now);
}

async function addWebhook({ models }: TestService, userId: number): Promise<void> {
  const now = new Date();
  const owner = { userId, audience: 'customer' as const };
  const endpoint = await models.transaction((transaction) =>
    models.webhooks.add(
      {
        ...{ ...owner, url: 'https://webhook-of-theirs.example.com/', format: 'standard', events: ['*'] },
        ...{ description: 'webhook-of-theirs', keyId: '' },
      },
      now,
      transaction,
    ),
  );
  if (!endpoint) throw new Error('the webhook was not added');
  const event = await models.events.addTest(userId, now);
  await models.deliveries.addAll([{ ...newDelivery(event, endpoint, now) }]);
}

/** Every document that names its owner, by the person's id or by the id of another document of the person. */
export async function documentsOfUser(
  { connection }: TestService,
  userId: number,
): Promise<mongo.Document[]> {
  const found: mongo.Document[] = [];
  const endpoints = await connection.collection('webhooks').find({ userId }).toArray();
  const endpointIds = endpoints.map(({ _id }) => String(_id));
  for (const { collection } of Object.values(connection.models)) {
    const documents = await connection
      .collection(collection.collectionName)
      .find()
      .sort({ _id: 1 })
      .toArray();
    const keyIds = found.flatMap(({ _id, hash }) => (hash ? [String(_id)] : []));
    const theirs = documents.filter(
      ({ _id, userId: owner, endpointId }) =>
        [_id, owner].includes(userId) ||
        endpointIds.includes(endpointId) ||
        keyIds.some((id) => String(_id).startsWith(id)),
    );
    if (theirs.length === 0 && !ownerlessCollections.includes(collection.collectionName))
      throw new Error(
        `addOwner() adds nothing to ${collection.collectionName}; let it, so that it is guarded`,
      );
    found.push(...theirs);
  }
  return found;
}

/** These fields are long, and several people may have the same value. */
const commonFields =
  /^(scopes|operation|type|answer|image|startup_command|RCON_PASSWORD|created_at|updated_at)$/;

type Leaf = [field: string, value: string | number];

function leavesOf(value: unknown, field = ''): Leaf[] {
  if (typeof value === 'string' || typeof value === 'number') return [[field, value]];
  if (value instanceof Date || typeof value !== 'object' || value === null) return [];
  if ('toHexString' in value) return [[field, String(value)]];
  return Object.entries(value).flatMap(([name, part]) => leavesOf(part, Array.isArray(value) ? field : name));
}

/** Long enough not to occur by chance, and not a word in every user's documents. */
function isIdentifying([field, value]: Leaf): boolean {
  if (typeof value === 'number') return value > 1_000_000;
  return value.includes('their') || (value.length >= 20 && !commonFields.test(field));
}

const nameFields = /^(.*Id|id|uuid|identifier|reference|serviceReference|email|prefix|hash)$/;

/** Every id of the documents except MongoDB's, and the first of each other kind of name. */
function namesIn(documents: readonly object[]): (string | number)[] {
  const leaves = documents.flatMap((document) => leavesOf(document)).filter(isIdentifying);
  const ids = leaves.filter(([field, value]) => field === '_id' && !/^[0-9a-f]{24}$/.test(String(value)));
  const firsts = new Map(leaves.filter(([field]) => nameFields.test(field)).reverse());
  return [...new Set([...ids.map(([, value]) => value), ...firsts.values()])];
}
