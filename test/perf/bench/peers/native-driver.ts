/** Peer: Fastify on the native driver, written by hand: one call per question, projections, majority writes. */
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { hashSecret } from '../../../../models/api-key/secret.ts';
import type { ApiKeyRecord } from '../../../../models/api-key/store.ts';
import type { AuditEntryRecord } from '../../../../models/audit-entry.ts';
import { fold } from '../../../../models/support/fold.ts';
import type { TicketRecord } from '../../../../models/ticket/schema.ts';
import type { UserRecord } from '../../../../models/user.ts';
import { readConfig } from '../../../../server/config.ts';
import { callTimeoutMs, timeoutsOf } from '../../../../server/database.ts';
import { serve } from './fastify.ts';

const staleMs = 60_000;

const summary = { subject: 1, status: 1, createdAt: 1, updatedAt: 1 } as const;

const client = await MongoClient.connect(readConfig().mongodbUri ?? '', {
  writeConcern: { w: 'majority' },
  ...timeoutsOf(callTimeoutMs),
});
const db = client.db();
const keys = db.collection<ApiKeyRecord>('api_keys');
const users = db.collection<UserRecord>('users');
const sequences = db.collection<{ _id: string; value: number }>('sequences');
const tickets = db.collection<TicketRecord>('tickets');
const audit = db.collection<AuditEntryRecord>('audit_entries');

await serve({
  async verifyKey(secret, now) {
    const key = await keys.findOne({ hash: hashSecret(secret) });
    if (!key || key.revokedAt || (key.expiresAt && key.expiresAt <= now)) return null;
    if (!key.lastUsedAt || now.getTime() - key.lastUsedAt.getTime() >= staleMs)
      await keys.updateOne({ _id: key._id }, { $set: { lastUsedAt: now } });
    return { keyId: key._id, userId: key.userId, scopes: key.scopes };
  },
  findUser: (id) => users.findOne({ _id: id }, { projection: { passwordHash: 0 } }),
  listTickets: (userId) =>
    tickets.find({ userId }, { projection: summary }).sort({ _id: -1 }).limit(1000).toArray(),
  async openTicket({ keyId, text, now, writeId, ...rest }) {
    const sequence = await sequences.findOneAndUpdate(
      { _id: 'ticket' },
      { $inc: { value: 1 } },
      { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } },
    );
    const ticket: TicketRecord = {
      ...rest,
      folded: fold(rest.subject),
      _id: sequence?.value ?? 1,
      status: 'New',
      lastReplyBy: 'customer',
      messages: [{ id: randomUUID(), userId: rest.userId, keyId, text, createdAt: now }],
      messageBytes: Buffer.byteLength(text),
      customerBytes: Buffer.byteLength(text),
      messageCount: 1,
      createdAt: now,
      updatedAt: now,
      ...(writeId && { writeId }),
    };
    await tickets.insertOne(ticket);
    return ticket;
  },
  async reply({ ticketId, userId, keyId, text, now }) {
    const { matchedCount } = await tickets.updateOne(
      { _id: ticketId, userId, status: { $in: ['New', 'Active'] } },
      {
        $push: { messages: { id: randomUUID(), userId, keyId, text, createdAt: now } },
        $inc: { messageBytes: Buffer.byteLength(text), messageCount: 1 },
        $set: { status: 'Active', lastReplyBy: 'customer', updatedAt: now },
      },
    );
    return matchedCount === 1;
  },
  storeAudit: (entries) => audit.insertMany(entries, { ordered: false }),
});
