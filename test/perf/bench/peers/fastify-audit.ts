/** The audit of the Fastify peers: a write's entry is stored before its answer leaves, those of reads in batches. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditEntryRecord } from '../../../../models/audit-entry.ts';
import { createAuditBatch } from './audit-batch.ts';
import type { Store } from './store.ts';

export function addAudit(app: FastifyInstance, store: Store): void {
  const addToBatch = createAuditBatch((entries) => store.storeAudit(entries));
  app.addHook('onSend', async (request, reply) => {
    const entry = entryOf(request, reply);
    if (!entry) return;
    if (request.method === 'POST') await store.storeAudit([entry]);
    else addToBatch(entry);
  });
}

function entryOf(request: FastifyRequest, { statusCode }: FastifyReply): AuditEntryRecord | null {
  const { owner, routeOptions, params, ip, id } = request;
  if (!owner) return null;
  return {
    at: new Date(),
    userId: owner.userId,
    keyId: owner.keyId,
    operation: routeOptions.config.operation ?? null,
    target: Object.values(params as Record<string, unknown>).map(String)[0] ?? null,
    status: statusCode,
    code: null,
    address: ip,
    requestId: id,
    via: 'rest',
  };
}
