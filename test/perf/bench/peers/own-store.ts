/** Our own store below another framework, which shows what our bridge costs. */
import type { Models } from '../../../../models/index.ts';
import { AuditTrail } from '../../../../server/observability/audit-trail.ts';
import { createLog } from '../../../../server/observability/log.ts';
import type { ConversationStore, Store } from './store.ts';

export function createOwnStore(models: Models): Store & ConversationStore {
  const trail = new AuditTrail(models.auditEntries, createLog('warn'));
  return {
    async verifyKey(secret, now) {
      const { key, refusal } = await models.apiKeys.verify(secret, now);
      if (refusal) return null;
      await models.apiKeys.touch(key, now);
      return { keyId: key._id, userId: key.userId, scopes: key.scopes };
    },
    listGames: () => models.games.listActive(),
    findUser: (id) => models.users.find(id),
    listTickets: (userId) => models.tickets.list(userId),
    searchTickets: (filter) => models.tickets.search(filter),
    readTicket: (userId, id, page) => models.tickets.readOwned(userId, id, page),
    async findNicknames(userIds) {
      const users = await Promise.all(userIds.map((id) => models.users.find(id)));
      return new Map(userIds.map((id, index) => [id, users[index]?.nickname ?? null]));
    },
    openTicket: (ticket) => models.tickets.open(ticket),
    reply: (reply) => models.tickets.reply(reply),
    storeAudit: (entries) => trail.storeNow(entries),
  };
}
