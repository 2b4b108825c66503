/** The measured calls as a Fastify author writes them by hand: hooks for keys, scopes and audit, the contract's schemas compiled. */
import { randomUUID } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { z } from 'zod';
import { readOperations } from '../../../../bridge/operations.ts';
import type { AuditEntryRecord } from '../../../../models/audit-entry.ts';
import type { NewTicket } from '../../../../models/ticket/open.ts';
import type { NewReply } from '../../../../models/ticket/reply.ts';
import type { TicketSummary } from '../../../../models/ticket/store.ts';
import type { UserRecord } from '../../../../models/user.ts';
import { appRouter } from '../../../../routers/index.ts';
import { presentMe } from '../../../../routers/schemas/me.ts';
import {
  presentTicketCreated,
  TicketCreateRequest,
  toNewTicket,
} from '../../../../routers/tickets/ticket-schema.ts';
import { readConfig } from '../../../../server/config.ts';

/** The database calls of a hand-written service; each peer implements them. */
interface Store {
  /** Resolves to null for a key that is unknown, revoked or expired; stores the key's use. */
  verifyKey(secret: string, now: Date): Promise<KeyOwner | null>;
  findUser(id: number): Promise<UserRecord | null>;
  listTickets(userId: number): Promise<TicketSummary[]>;
  openTicket(ticket: NewTicket): Promise<TicketSummary>;
  reply(reply: NewReply): Promise<boolean>;
  storeAudit(entries: AuditEntryRecord[]): Promise<unknown>;
}

interface KeyOwner {
  keyId: string;
  userId: number;
  scopes: readonly string[];
}

declare module 'fastify' {
  interface FastifyRequest {
    owner: KeyOwner | null;
  }
  interface FastifyContextConfig {
    operation?: string;
    scope?: string;
  }
}

const refusal = (statusCode: number, code: string, message: string) =>
  Object.assign(new Error(message), { statusCode, code });

const securityHeaders = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

export async function serve(store: Store): Promise<void> {
  const { port, host, rateLimitPerMinute, logLevel } = readConfig();
  const app = Fastify({
    logger: { level: logLevel },
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: 'x-request-id',
    genReqId: () => randomUUID(),
    ajv: { customOptions: { removeAdditional: false } },
  });
  app.setErrorHandler<FastifyError>(async ({ statusCode = 500, code, message }, _request, reply) =>
    reply.code(statusCode).send({ error: { code: code.replace(/^FST_.*/, 'bad_request'), message } }),
  );
  addAccessHooks(app, store);
  addAudit(app, store);
  await app.register(rateLimit, {
    ...{ max: rateLimitPerMinute, timeWindow: 60_000, cache: 20_000 },
    keyGenerator: ({ owner, ip }: FastifyRequest) => owner?.keyId ?? ip,
  });
  app.register(async (api) => addRoutes(api, store), { prefix: '/api/v1' });
  await app.listen({ port, host });
}

function addAccessHooks(app: FastifyInstance, store: Store): void {
  app.decorateRequest('owner', null);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    const secret = request.headers.authorization?.slice('Bearer '.length) ?? '';
    request.owner = await store.verifyKey(secret, new Date());
    if (!request.owner) throw refusal(401, 'unauthorized', 'API key unknown');
  });
  app.addHook('preValidation', async ({ owner, routeOptions }) => {
    const { scope = '' } = routeOptions.config;
    if (!owner?.scopes.includes(scope)) throw refusal(403, 'insufficient_scope', 'This key lacks a scope');
  });
}

const flushAfterMs = 1000;

/** The entry of a write is stored before its response leaves; those of reads are stored in batches. */
function addAudit(app: FastifyInstance, store: Store): void {
  let held: AuditEntryRecord[] = [];
  setInterval(() => {
    if (held.length > 0) void store.storeAudit(held);
    held = [];
  }, flushAfterMs).unref();
  app.addHook('onSend', async (request, reply) => {
    if (!request.owner) return;
    const entry = entryOf(request, request.owner, reply);
    if (request.method === 'POST') await store.storeAudit([entry]);
    else held.push(entry);
  });
}

const entryOf = (
  { routeOptions, params, ip, id }: FastifyRequest,
  { userId, keyId }: KeyOwner,
  { statusCode }: FastifyReply,
): AuditEntryRecord => ({
  at: new Date(),
  userId,
  keyId,
  operation: routeOptions.config.operation ?? null,
  target: Object.values(params as Record<string, unknown>).map(String)[0] ?? null, // of the path
  status: statusCode,
  code: null,
  address: ip,
  requestId: id,
  via: 'rest',
});

function addRoutes(api: FastifyInstance, store: Store): void {
  api.route({
    ...routeOf('account.me'),
    async handler(request) {
      const user = await store.findUser(ownerOf(request).userId);
      if (!user) throw refusal(404, 'not_found', 'User not found');
      return { user: presentMe(user) };
    },
  });
  api.route({
    ...routeOf('tickets.list'),
    handler: async (request) => ({
      tickets: (await store.listTickets(ownerOf(request).userId)).map(presentTicket),
    }),
  });
  api.route<{ Body: z.infer<typeof TicketCreateRequest> }>({
    ...routeOf('tickets.create', TicketCreateRequest),
    async handler(request, reply) {
      const { userId, keyId } = ownerOf(request);
      const ticket = await store.openTicket({ ...toNewTicket(request.body), userId, keyId, now: new Date() });
      reply.code(201);
      return { ticket: presentTicketCreated(ticket) };
    },
  });
  api.route<{ Params: { ticket_id: number }; Body: { message: string } }>({
    ...routeOf('tickets.reply'),
    async handler(request, reply) {
      const { ticket_id } = request.params;
      const { userId, keyId } = ownerOf(request);
      const { message: text } = request.body;
      if (!(await store.reply({ ticketId: ticket_id, userId, keyId, text, now: new Date() })))
        throw refusal(400, 'bad_request', 'The ticket is closed or archived and takes no replies');
      reply.code(201);
      return { ticket_id, status: 'Active' };
    },
  });
}

function ownerOf({ owner }: FastifyRequest): KeyOwner {
  if (!owner) throw refusal(401, 'unauthorized', 'API key missing');
  return owner;
}

/** Dates are left to the compiled serializer. */
const presentTicket = (ticket: TicketSummary) => ({
  id: ticket._id,
  subject: ticket.subject,
  status: ticket.status,
  created_at: ticket.createdAt,
  updated_at: ticket.updatedAt,
});

const operations = readOperations(appRouter);

/** @param takes another input than the operation's own, whose rules a JSON schema can express as a whole */
function routeOf(name: string, takes?: z.ZodObject) {
  const operation = operations.find((each) => each.name === name);
  if (!operation) throw new Error(`There is no operation ${name}`);
  const { method, path, pathParameters, scope, status, output } = operation;
  const fields = Object.entries((takes ?? operation.input).shape);
  const inPath = fields.filter(([field]) => pathParameters.includes(field));
  const others = fields.filter((field) => !inPath.includes(field));
  return {
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    config: { operation: name, scope: scope ?? '' },
    schema: {
      ...(inPath.length > 0 && { params: inputOf(inPath) }),
      ...(others.length > 0 && { [method === 'GET' ? 'querystring' : 'body']: inputOf(others) }),
      response: { [status]: compiled(output, 'output') },
    },
  };
}

const inputOf = (fields: [string, z.core.$ZodType][]) =>
  compiled(z.strictObject(Object.fromEntries(fields)), 'input');

/** As a Fastify author writes them: `nullable` in place of a choice, and a pattern that refuses white space. */
const compiled = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, {
    ...{ io, target: 'draft-7' },
    override({ jsonSchema }) {
      const [kind, none] = jsonSchema.anyOf ?? [];
      if (none?.type === 'null') {
        delete jsonSchema.anyOf;
        Object.assign(jsonSchema, kind, { nullable: true });
      }
      if (jsonSchema.minLength === 1) jsonSchema.pattern = '\\S';
      for (const keyword of ['x-extensible-enum', 'aliasOf']) delete jsonSchema[keyword]; // only for our bridge
    },
  });
