/** Our own store and client of the panel below another framework, which shows what our bridge costs. */
import { createModels, type Models } from '../../../../models/index.ts';
import { AuditTrail } from '../../../../server/audit/audit.ts';
import type { Config } from '../../../../server/config.ts';
import { callTimeoutMs, connectMongoose } from '../../../../server/database.ts';
import { createLog } from '../../../../server/observability/log.ts';
import { openPanel } from '../../../../server/panel/pterodactyl.ts';
import { databaseUri } from './common.ts';
import type { PanelClient } from './panel-client.ts';
import type { ConversationStore, Store } from './store.ts';

export function createOwnStore(models: Models): Store & ConversationStore {
  const trail = new AuditTrail(models, createLog('warn'));
  return {
    async verifyKey(secret, now) {
      const { key, refusal } = await models.apiKeys.verify(secret, now);
      if (refusal) return null;
      models.apiKeys.touch(key, now);
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

export const openOwnModels = async (config: Config): Promise<Models> =>
  createModels(await connectMongoose(databaseUri(config), { callTimeoutMs }));

export async function openOwnPanel(config: Config): Promise<PanelClient> {
  const { panel } = await openPanel(config.panel, { clock: Date.now, log: createLog(config.logLevel) });
  return {
    async findOwned(panelUserId, identifier, requestId) {
      const { servers } = await panel.listServers(panelUserId, requestId);
      return servers.find((server) => server.identifier === identifier) ?? null;
    },
    sendPower: panel.sendPower,
    reads: panel,
  };
}
