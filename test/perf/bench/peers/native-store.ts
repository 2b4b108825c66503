/** The store as one writes it by hand on the native driver: one call for each question, projections, majority writes. */

import { randomUUID } from 'node:crypto';
import { type Db, type Filter, MongoClient } from 'mongodb';
import { hashSecret } from '../../../../models/api-key/secret.ts';
import type { ApiKeyRecord } from '../../../../models/api-key/store.ts';
import type { AuditEntryRecord } from '../../../../models/audit-entry.ts';
import type { GameRecord } from '../../../../models/game.ts';
import type { TicketDetail } from '../../../../models/ticket/read.ts';
import type { TicketRecord, TicketStatus } from '../../../../models/ticket/schema.ts';
import type { UserRecord } from '../../../../models/user.ts';
import { callTimeoutMs, timeoutsOf } from '../../../../server/database.ts';
import type { ConversationStore, Store } from './store.ts';

const open: TicketStatus[] = ['New', 'Active'];
const summary = { subject: 1, status: 1, createdAt: 1, updatedAt: 1 } as const;

export async function createNativeStore(uri: string): Promise<Store & ConversationStore> {
  const client = await MongoClient.connect(uri, {
    writeConcern: { w: 'majority' },
    ...timeoutsOf(callTimeoutMs),
  });
  const db = client.db();
  return { ...keyCalls(db), ...readCalls(db), ...conversationCalls(db), ...writeCalls(db) };
}

function keyCalls(db: Db): Pick<Store, 'verifyKey'> {
  const keys = db.collection<ApiKeyRecord>('api_keys');
  return {
    async verifyKey(secret, now) {
      const key = await keys.findOne({ hash: hashSecret(secret) });
      if (!key || !isUsable(key, now)) return null;
      if (isStale(key, now)) await keys.updateOne({ _id: key._id }, { $set: { lastUsedAt: now } });
      return { keyId: key._id, userId: key.userId, scopes: key.scopes };
    },
  };
}

function readCalls(db: Db): Pick<Store, 'listGames' | 'findUser' | 'listTickets'> {
  const games = db.collection<GameRecord>('games');
  const users = db.collection<UserRecord>('users');
  const tickets = db.collection<TicketRecord>('tickets');
  return {
    listGames: () => games.find({ isActive: true }).sort({ title: 1 }).toArray(),
    findUser: (id) => users.findOne({ _id: id }, { projection: { passwordHash: 0 } }),
    listTickets: (userId) =>
      tickets.find({ userId }, { projection: summary }).sort({ _id: -1 }).limit(1000).toArray(),
  };
}

function writeCalls(db: Db): Pick<Store, 'openTicket' | 'reply' | 'storeAudit'> {
  const sequences = db.collection<{ _id: string; value: number }>('sequences');
  const tickets = db.collection<TicketRecord>('tickets');
  const audit = db.collection<AuditEntryRecord>('audit_entries');
  return {
    async openTicket({ keyId, text, now, ...rest }) {
      const sequence = await sequences.findOneAndUpdate(
        { _id: 'ticket' },
        { $inc: { value: 1 } },
        { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } },
      );
      const ticket: TicketRecord = {
        ...rest,
        _id: sequence?.value ?? 1,
        status: 'New',
        lastReplyBy: 'customer',
        messages: [{ id: randomUUID(), userId: rest.userId, keyId, text, createdAt: now }],
        messageBytes: Buffer.byteLength(text),
        customerBytes: Buffer.byteLength(text),
        messageCount: 1,
        createdAt: now,
        updatedAt: now,
      };
      await tickets.insertOne(ticket);
      return ticket;
    },
    async reply({ ticketId, userId, keyId, text, now }) {
      const message = { id: randomUUID(), userId, keyId, text, createdAt: now };
      const { matchedCount } = await tickets.updateOne(
        { _id: ticketId, userId, status: { $in: open } },
        {
          $push: { messages: message },
          $inc: { messageBytes: Buffer.byteLength(text), messageCount: 1 },
          $set: { status: 'Active', lastReplyBy: 'customer', updatedAt: now },
        },
      );
      if (matchedCount === 1) return 'replied';
      const ticket = await tickets.findOne({ _id: ticketId, userId }, { projection: { _id: 1 } });
      return ticket ? 'closed' : 'not_found';
    },
    async storeAudit(entries) {
      await audit.insertMany(entries, { ordered: false });
    },
  };
}

const detail = {
  ...{ ...summary, userId: 1, serviceName: 1, serviceReference: 1, serviceType: 1, lastReplyBy: 1 },
  messageCount: 1,
};

type StoredPage = TicketDetail & Pick<TicketRecord, 'messages'>;

function conversationCalls(db: Db): ConversationStore {
  const tickets = db.collection<TicketRecord>('tickets');
  const users = db.collection<UserRecord>('users');
  return {
    searchTickets({ userId, status, awaiting, before, limit }) {
      const filter: Filter<TicketRecord> = {
        userId,
        ...(status && { status }),
        ...(awaiting && { lastReplyBy: awaiting === 'staff' ? 'customer' : 'staff' }),
        ...(awaiting && !status && { status: { $in: open } }),
        ...(before && { _id: { $lt: before } }),
      };
      return tickets
        .find<TicketDetail>(filter, { projection: detail })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray();
    },
    async readTicket(userId, _id, { after, limit }) {
      const projection = { ...detail, messages: { $slice: ['$messages', after, limit] } };
      const found = await tickets.findOne<StoredPage>({ _id, userId }, { projection });
      if (!found) return null;
      const { messages, ...ticket } = found;
      const numbered = messages.map(({ author = 'customer' as const, userId, text, createdAt }, index) => ({
        number: after + index + 1,
        ...{ author, userId, text, createdAt },
      }));
      return { ticket, messages: numbered };
    },
    async findNicknames(userIds) {
      const filter = { _id: { $in: [...userIds] } };
      const found = await users.find(filter, { projection: { nickname: 1 } }).toArray();
      return new Map(found.map(({ _id, nickname }) => [_id, nickname]));
    },
  };
}

const staleMs = 60_000;

const isUsable = ({ revokedAt, expiresAt }: ApiKeyRecord, now: Date): boolean =>
  !revokedAt && (!expiresAt || expiresAt > now);

const isStale = ({ lastUsedAt }: ApiKeyRecord, now: Date): boolean =>
  !lastUsedAt || now.getTime() - lastUsedAt.getTime() >= staleMs;
