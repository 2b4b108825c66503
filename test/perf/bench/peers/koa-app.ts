/** The service as a Koa author writes it by hand: middleware for the checks, and a router. */
import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import type { AuditEntryRecord } from '../../../../models/audit-entry.ts';
import type { Config } from '../../../../server/config.ts';
import { createAuditBatch } from './audit-batch.ts';
import { createKoaLimit } from './koa-limit.ts';
import { createKoaRouter } from './koa-router.ts';
import { createPanelClient } from './panel-client.ts';
import { envelope, Refusal, refusals } from './refusal.ts';
import { securityHeaders } from './security-headers.ts';
import type { KeyOwner, Store } from './store.ts';

export interface KoaState {
  requestId: string;
  owner: KeyOwner;
  operation: string | null;
}

export type KoaMiddleware = Koa.Middleware<KoaState>;

export function createKoaApp(store: Store, config: Config): Koa<KoaState> {
  const app = new Koa<KoaState>();
  app.silent = true; // callers hang up in the middle of a request when a turn is over
  app.use(failures);
  app.use(createAuthenticate(store));
  app.use(createAudit(store));
  app.use(createKoaLimit(config.rateLimitPerMinute));
  app.use(createKoaRouter({ store, panel: createPanelClient(config.panel) }));
  return app;
}

const failures: KoaMiddleware = async (ctx, next) => {
  ctx.state.requestId = ctx.get('X-Request-Id') || randomUUID();
  ctx.set(securityHeaders);
  ctx.set('X-Request-Id', ctx.state.requestId);
  try {
    await next();
    if (ctx.status === 404 && ctx.body == null) throw refusals.notFound('Page');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.statusCode === 401) ctx.set('WWW-Authenticate', 'Bearer error="invalid_token"');
    ctx.status = error.statusCode;
    ctx.body = envelope(error.apiCode, error.message);
  }
};

const createAuthenticate =
  (store: Store): KoaMiddleware =>
  async (ctx, next) => {
    const authorization = ctx.get('Authorization');
    const secret = authorization.startsWith('Bearer ') ? authorization.slice(7) : ctx.get('X-API-Key');
    if (!secret) throw refusals.missingKey();
    const owner = await store.verifyKey(secret, new Date());
    if (!owner) throw refusals.unknownKey();
    ctx.state.owner = owner;
    await next();
  };

/** A write's entry is stored before its answer leaves, those of reads in batches. */
function createAudit(store: Store): KoaMiddleware {
  const addToBatch = createAuditBatch((entries) => store.storeAudit(entries));
  return async (ctx, next) => {
    let failure: unknown;
    await next().catch((thrown) => {
      failure = thrown;
    });
    const status = failure instanceof Refusal ? failure.statusCode : ctx.status;
    const entry = entryOf(ctx.state, { status, address: ctx.ip });
    if (ctx.method === 'POST') await store.storeAudit([entry]);
    else addToBatch(entry);
    if (failure) throw failure;
  };
}

const entryOf = (
  { owner, operation, requestId }: KoaState,
  answer: Pick<AuditEntryRecord, 'status' | 'address'>,
): AuditEntryRecord => ({
  at: new Date(),
  userId: owner.userId,
  keyId: owner.keyId,
  operation: operation ?? null,
  target: null,
  code: null,
  requestId,
  via: 'rest',
  ...answer,
});
