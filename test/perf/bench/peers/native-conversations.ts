/** Conversations and filtered lists as one writes them by hand on the native driver. */
import type { Db, Filter } from 'mongodb';
import type { TicketDetail } from '../../../../models/ticket/read.ts';
import type { TicketRecord, TicketStatus } from '../../../../models/ticket/schema.ts';
import type { UserRecord } from '../../../../models/user.ts';
import type { ConversationStore } from './store.ts';

const open: TicketStatus[] = ['New', 'Active'];
const summary = { subject: 1, status: 1, createdAt: 1, updatedAt: 1 } as const;
const detail = {
  ...{ ...summary, userId: 1, serviceName: 1, serviceReference: 1, serviceType: 1, lastReplyBy: 1 },
  messageCount: { $size: '$messages' },
};

type StoredPage = TicketDetail & Pick<TicketRecord, 'messages'>;

export function conversationCalls(db: Db): ConversationStore {
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
      return tickets.find(filter, { projection: summary }).sort({ _id: -1 }).limit(limit).toArray();
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
