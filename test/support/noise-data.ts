/** Many unrelated documents in every collection, so that a test notices a query which examines them. */
import type { Connection } from 'mongoose';

const documentCount = 300;

const at = new Date('2026-01-01T00:00:00Z');
const soon = new Date(Date.now() + 3_600_000);

/** A noise document with this number, by collection. */
export const noiseDocuments = (id: number): Record<string, Record<string, unknown>> => ({
  activity_counts: {
    ...{ _id: `${id}:2026-11-21:key-${id}`, userId: id, day: soon, keyId: `key-${id}`, clientId: '' },
    ...{ calls: 1, failures: 0 },
  },
  announcements: {
    ...{ _id: id, title: 'Draft', summary: '', message: 'Soon.', tag: null, status: 'draft' },
    ...{ showInRibbon: false, publishedAt: null, createdAt: at, updatedAt: at },
  },
  api_keys: {
    _id: `key-${id}`,
    userId: id,
    ...{ name: 'Key', hash: `hash-${id}`, prefix: 'gamehost_live_', scopes: [], replacedBy: null },
    ...{ createdAt: at, revokedAt: null, expiresAt: null, lastUsedAt: null },
  },
  audit_entries: {
    ...{ at: soon, userId: id, keyId: `key-${id}`, requestId: `request-${id}`, via: 'rest' },
    ...{ operation: null, target: null, status: 401, code: null, address: '192.0.2.1' },
    isRestricted: id % 2 === 0,
  },
  file_leases: { _id: `file-${id}`, holder: 'holder', leaseEndsAt: soon },
  games: {
    ...{ _id: `game-${id}`, title: `Game ${id}`, plans: [], isActive: false, description: null },
    ...{ shortDesc: null, category: null, icon: null, cover: null, banner: null },
    ...{ pricingBackground: null, priceFrom: null },
  },
  idempotency_records: {
    _id: `key-${id}:once`,
    fingerprint: '',
    claimId: '',
    writeId: '',
    leaseEndsAt: at,
    answer: '',
    createdAt: soon,
  },
  oauth_clients: { _id: `client-${id}`, metadata: '{}', createdAt: at, usedAt: at, expiresAt: soon },
  oauth_grants: {
    ...{ _id: `grant-${id}`, userId: id, scopes: [], refusedScopes: [], createdAt: at, lastUsedAt: null },
    ...{ app: { clientId: `client-${id}`, name: 'App', verifiedHost: null }, suspendedAt: null },
    ...{ expiresAt: soon, endsAt: soon },
  },
  oauth_requests: { _id: `request-${id}`, payload: '{}', question: null, answer: null, expiresAt: soon },
  oauth_tokens: {
    ...{ _id: `token-${id}`, kind: 'AccessToken', grantId: `grant-${id}`, userId: id, scopes: [] },
    ...{ payload: '{}', createdAt: at, consumedAt: null, expiresAt: soon },
  },
  process_leases: { _id: `process-${id}`, holder: 'holder', leaseEndsAt: soon },
  sign_in_links: { _id: `link-${id}`, userId: id, expiresAt: at, usedAt: null },
  identities: { issuer: 'https://id.example', subject: `subject-${id}`, userId: id, createdAt: at },
  key_rings: { _id: id, changeCount: 0, changedAt: soon },
  second_factors: {
    ...{ _id: id, recoveryCodes: [] },
    factors: [
      {
        ...{ id: `factor-${id}`, kind: 'app', name: 'Phone', secret: '', spent: [] },
        ...{ createdAt: at, lastUsedAt: null, linkKeyId: `key-${id}` },
      },
    ],
  },
  sequences: { _id: `noun-${id}`, value: 1 },
  sessions: {
    ...{ _id: `session-${id}`, userId: id, passwordStamp: '', isSingleSignOn: false, isFromLink: false },
    ...{ device: null, createdAt: at, lastSeenAt: at, expiresAt: soon },
  },
  subscriptions: {
    ...{ reference: `sub_${id}`, userId: id, status: 'Active', providerId: `provider-${id}`, createdAt: at },
    ...{ name: 'Survival 8 GB', price: '€12.00 a month', renewsAt: soon },
  },
  staff_texts: { _id: id, userId: id, texts: [], bytes: 0 },
  tickets: {
    _id: id,
    userId: id,
    subject: 'Ticket',
    status: 'New',
    messages: [],
    ...{ lastReplyBy: 'customer', messageCount: 0, messageBytes: 0, customerBytes: 0 },
    createdAt: at,
    updatedAt: at,
    ...{ serviceName: null, serviceReference: null, serviceType: null, assigneeId: id, isUnread: true },
  },
  webhooks: {
    ...{ _id: `whk_${id}`, userId: id, audience: 'customer', url: '', format: 'standard', events: ['*'] },
    ...{ description: null, disabledReason: null, isActive: false, keyId: `key-${id}`, secretVersion: 1 },
    ...{ previousSecretUntil: null, activeSince: at, createdAt: at, lastSuccessAt: null },
    ...{ failingSince: null, failureCount: 0 },
  },
  webhook_deliveries: {
    ...{ _id: `dlv_${id}`, eventId: `evt_${id}`, endpointId: `whk_${id}`, type: 'server.power' },
    ...{ activeSince: at, status: 'pending', attempts: [], dueAt: soon, createdAt: soon },
  },
  webhook_events: {
    ...{ _id: `evt_${id}`, type: 'server.power', userId: id, at, data: {}, user: null },
    ...{ fanOutAt: soon, storedAt: soon },
  },
  server_changes: { _id: `server-${id}`, ownerId: null, isAccepted: true, at: soon, by: 'process' },
  server_watches: { _id: `server:${id}`, state: 'running' },
  webhook_state: { _id: `state-${id}`, upTo: at },
  users: {
    ...{ _id: id, email: `stranger${id}@example.com`, externalId: `stranger-${id}`, isActive: id % 2 === 0 },
    ...{
      passwordKeyId: `key-${id}`,
      passwordHash: '',
      firstName: null,
      lastName: null,
      nickname: null,
      isAdmin: false,
    },
    ...{ chatId: null, chatUsername: null, chatAvatarUrl: null, panelUserId: null },
    ...{ createdAt: at, updatedAt: at },
  },
});

/** @throws when a collection has no document above: add one, so that its queries are tested too */
export async function addNoiseData(connection: Connection): Promise<void> {
  for (const { collection } of Object.values(connection.models)) {
    const documents = Array.from({ length: documentCount }, (_, index) => {
      const document = noiseDocuments(1_000_000 + index)[collection.collectionName];
      if (!document) throw new Error(`no noise document is defined for ${collection.collectionName}`);
      return document;
    });
    await collection.insertMany(documents);
  }
}
