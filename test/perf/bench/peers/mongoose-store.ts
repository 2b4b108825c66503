/** The store as one writes it by hand with Mongoose: models, lean reads, `create` for what is new. */
import { randomUUID } from 'node:crypto';
import { connect, type Mongoose, Schema } from 'mongoose';
import { hashSecret } from '../../../../models/api-key/format.ts';
import { apiKeySchema } from '../../../../models/api-key/schema.ts';
import type { ApiKeyRecord } from '../../../../models/api-key/store.ts';
import type { AuditEntryRecord } from '../../../../models/audit-entry.ts';
import type { GameRecord } from '../../../../models/game.ts';
import { type TicketRecord, ticketSchema } from '../../../../models/ticket/schema.ts';
import type { UserRecord } from '../../../../models/user.ts';
import { callTimeoutMs, timeoutsOf } from '../../../../server/database.ts';
import type { Store } from './store.ts';
import { isStale, isUsable } from './usable-key.ts';

const summary = { subject: 1, status: 1, createdAt: 1, updatedAt: 1 } as const;

export async function createMongooseStore(uri: string): Promise<Store> {
  const mongoose = await connect(uri, {
    autoIndex: false,
    writeConcern: { w: 'majority' },
    ...timeoutsOf(callTimeoutMs),
  });
  return { ...keyCalls(mongoose), ...readCalls(mongoose), ...writeCalls(mongoose) };
}

function keyCalls(mongoose: Mongoose): Pick<Store, 'verifyKey'> {
  const Key = mongoose.model<ApiKeyRecord>('ApiKey', apiKeySchema, 'api_keys');
  return {
    async verifyKey(secret, now) {
      const key = await Key.findOne({ hash: hashSecret(secret) }).lean();
      if (!key || !isUsable(key, now)) return null;
      if (isStale(key, now)) await Key.updateOne({ _id: key._id }, { $set: { lastUsedAt: now } });
      return { keyId: key._id, userId: key.userId, scopes: key.scopes };
    },
  };
}

function readCalls(mongoose: Mongoose): Pick<Store, 'listGames' | 'findUser' | 'listTickets'> {
  const Game = mongoose.model<GameRecord>('Game', anySchema<GameRecord>(String), 'games');
  const User = mongoose.model<UserRecord>('User', anySchema<UserRecord>(Number), 'users');
  const Ticket = mongoose.model<TicketRecord>('Ticket', ticketSchema, 'tickets');
  return {
    listGames: () => Game.find({ isActive: true }).sort({ title: 1 }).lean().exec(),
    findUser: (id) => User.findById(id, { passwordHash: 0 }).lean().exec(),
    listTickets: (userId) => Ticket.find({ userId }, summary).sort({ _id: -1 }).limit(1000).lean().exec(),
  };
}

function writeCalls(mongoose: Mongoose): Pick<Store, 'openTicket' | 'reply' | 'storeAudit'> {
  type SequenceRecord = { _id: string; value: number };
  const Sequence = mongoose.model<SequenceRecord>('Sequence', anySchema<SequenceRecord>(String), 'sequences');
  const Ticket = mongoose.model<TicketRecord>('Ticket', ticketSchema, 'tickets');
  const Audit = mongoose.model<AuditEntryRecord>('Audit', anySchema<AuditEntryRecord>(), 'audit_entries');
  return {
    async openTicket({ keyId, text, now, ...rest }) {
      const sequence = await Sequence.findOneAndUpdate(
        { _id: 'ticket' },
        { $inc: { value: 1 } },
        { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } },
      ).lean();
      const message = { id: randomUUID(), userId: rest.userId, keyId, text, createdAt: now };
      const ticket = await Ticket.create({
        ...{ ...rest, _id: sequence.value, status: 'New', lastReplyBy: 'customer', messages: [message] },
        ...{ messageBytes: Buffer.byteLength(text), createdAt: now, updatedAt: now },
      });
      return ticket.toObject();
    },
    async reply({ ticketId, userId, keyId, text, now }) {
      const message = { id: randomUUID(), userId, keyId, text, createdAt: now };
      const { matchedCount } = await Ticket.updateOne(
        { _id: ticketId, userId, status: { $in: ['New', 'Active'] } },
        {
          $push: { messages: message },
          $inc: { messageBytes: Buffer.byteLength(text) },
          $set: { status: 'Active', lastReplyBy: 'customer', updatedAt: now },
        },
      );
      if (matchedCount === 1) return 'replied';
      return (await Ticket.exists({ _id: ticketId, userId })) ? 'closed' : 'not_found';
    },
    async storeAudit(entries) {
      await Audit.insertMany(entries, { ordered: false, lean: true });
    },
  };
}

/** Lean reads ask nothing of a schema but the type of the id. */
const anySchema = <Kept>(idType?: typeof String | typeof Number) =>
  new Schema<Kept>((idType ? { _id: idType } : {}) as never, { strict: false, versionKey: false });
