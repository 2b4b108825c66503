/** Peer: the same Fastify on our models, which batch concurrent calls, so that only the layers above them differ. */
import { createModels } from '../../../../models/index.ts';
import { AuditTrail } from '../../../../server/audit/audit.ts';
import { readConfig } from '../../../../server/config.ts';
import { callTimeoutMs, connectMongoose } from '../../../../server/database.ts';
import { createLog } from '../../../../server/observability/log.ts';
import { serve } from './fastify.ts';

const models = createModels(await connectMongoose(readConfig().mongodbUri ?? '', { callTimeoutMs }));
const trail = new AuditTrail(models, createLog('warn'));

await serve({
  async verifyKey(secret, now) {
    const { key, refusal } = await models.apiKeys.verify(secret, now);
    if (refusal) return null;
    models.apiKeys.touch(key, now);
    return { keyId: key._id, userId: key.userId, scopes: key.scopes };
  },
  findUser: (id) => models.users.find(id),
  listTickets: (userId) => models.tickets.list(userId),
  openTicket: (ticket) => models.tickets.open(ticket),
  reply: async (reply) => (await models.tickets.reply(reply)) === 'replied',
  storeAudit: (entries) => trail.storeNow(entries),
});
