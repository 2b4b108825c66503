/** Many documents of people whom nobody asks for, in every collection, so that a query which looks at them shows. */
import type { Connection } from 'mongoose';

const strangerCount = 300;

const at = new Date('2026-01-01T00:00:00Z');
const soon = new Date(Date.now() + 3_600_000);

/** A document of the stranger with this number, by collection. */
const documentsOf = (id: number): Record<string, Record<string, unknown>> => ({
  announcements: {
    ...{ _id: id, title: 'Draft', summary: '', message: 'Soon.', tag: null, status: 'draft' },
    ...{ showInRibbon: false, publishedAt: null, createdAt: at, updatedAt: at },
  },
  api_keys: {
    _id: `key-${id}`,
    userId: id,
    hash: `hash-${id}`,
    createdAt: at,
    revokedAt: null,
    expiresAt: null,
  },
  audit_entries: { at: soon, userId: id, keyId: `key-${id}`, requestId: `request-${id}` },
  games: { _id: `game-${id}`, title: `Game ${id}`, plans: [], isActive: false },
  idempotency_records: {
    _id: `key-${id}:once`,
    fingerprint: '',
    claimId: '',
    leaseEndsAt: at,
    answer: '',
    createdAt: soon,
  },
  key_rings: { _id: id, changeCount: 0 },
  sequences: { _id: `noun-${id}`, value: 1 },
  sessions: { _id: `session-${id}`, userId: id, createdAt: at, lastSeenAt: at, expiresAt: soon },
  subscriptions: { reference: `sub_${id}`, userId: id, providerId: `provider-${id}`, createdAt: at },
  tickets: {
    _id: id,
    userId: id,
    subject: 'Ticket',
    status: 'New',
    messages: [],
    messageBytes: 0,
    createdAt: at,
  },
  users: { _id: id, email: `stranger${id}@example.com`, passwordHash: '', isAdmin: false, createdAt: at },
});

/** @throws when a collection has no stranger above: write one, so that its queries are proved too */
export async function addStrangers(connection: Connection): Promise<void> {
  for (const { collection } of Object.values(connection.models)) {
    const strangers = Array.from({ length: strangerCount }, (_, index) => {
      const document = documentsOf(1_000_000 + index)[collection.collectionName];
      if (!document) throw new Error(`no stranger is known to ${collection.collectionName}`);
      return document;
    });
    await collection.insertMany(strangers);
  }
}
