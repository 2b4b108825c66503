/** The service as a Fastify author writes it by hand: hooks for authentication, scopes and audit, schemas for bodies and responses. */

import { randomUUID } from 'node:crypto';
import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { Redis } from 'ioredis';
import type { AuditEntryRecord } from '../../../../models/audit-entry.ts';
import type { Config } from '../../../../server/config.ts';
import { createAuditBatch, envelope, Refusal, refusals, securityHeaders } from './common.ts';
import { addRoutes, type Parts } from './fastify-routes.ts';
import type { KeyOwner, Store } from './store.ts';

declare module 'fastify' {
  interface FastifyRequest {
    owner: KeyOwner | null;
  }
  interface FastifyContextConfig {
    operation?: string;
    scope?: string;
  }
}

export async function createFastifyApp(parts: Parts, config: Config): Promise<FastifyInstance> {
  const { store } = parts;
  const app = Fastify({
    logger: { level: config.logLevel },
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: 'x-request-id',
    genReqId: () => randomUUID(),
    ajv: { customOptions: { removeAdditional: false } },
  });
  app.setErrorHandler<FastifyError | Refusal>(async (error, request, reply) => {
    const { status, code, message } = describe(error);
    if (status >= 500) request.log.error(error);
    if (status === 401) reply.header('www-authenticate', 'Bearer error="invalid_token"');
    return reply.code(status).send(envelope(code, message));
  });
  addAccessHooks(app, store);
  addAudit(app, store);
  await app.register(rateLimit, limitOptions(config));
  addRoutes(app, parts);
  return app;
}

function addAccessHooks(app: FastifyInstance, store: Store): void {
  app.decorateRequest('owner', null);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    const secret = secretOf(request);
    if (!secret) throw refusals.missingKey();
    request.owner = await store.verifyKey(secret, new Date());
    if (!request.owner) throw refusals.unknownKey();
  });
  app.addHook('preValidation', ({ owner, routeOptions }, _reply, done) => {
    const { scope } = routeOptions.config;
    done(scope && !owner?.scopes.includes(scope) ? refusals.scope(scope) : undefined);
  });
}

function secretOf({ headers }: FastifyRequest): string | undefined {
  if (headers.authorization?.startsWith('Bearer ')) return headers.authorization.slice(7);
  const apiKey = headers['x-api-key'];
  return Array.isArray(apiKey) ? apiKey[0] : apiKey;
}

const limitOptions = ({ rateLimitPerMinute, redisUrl }: Config): RateLimitPluginOptions => ({
  ...(redisUrl && { redis: new Redis(redisUrl) }),
  max: rateLimitPerMinute,
  timeWindow: 60_000,
  cache: 20_000,
  keyGenerator: ({ owner, ip }: FastifyRequest) => owner?.keyId ?? ip,
  errorResponseBuilder: (_request, { ttl }) => refusals.rateLimited(Math.ceil(ttl / 1000)),
});

function describe(error: FastifyError | Refusal) {
  if (error instanceof Refusal)
    return { status: error.statusCode, code: error.apiCode, message: error.message };
  const isBadInput = error.statusCode !== undefined && error.statusCode < 500;
  return isBadInput
    ? { status: 400, code: 'bad_request', message: error.message }
    : { status: 500, code: 'internal_error', message: 'Internal error' };
}

function addAudit(app: FastifyInstance, store: Store): void {
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
