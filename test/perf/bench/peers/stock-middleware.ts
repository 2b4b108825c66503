/** The limit and the audit before other adapters, as their users put them there. */
import ratelimit from 'koa-ratelimit';
import type { AuditTrail } from '../../../../server/observability/audit-trail.ts';
import { createAuditBatch } from './audit-batch.ts';
import type { StockMiddleware } from './stock-app.ts';

/** Callers without a key are left to the procedures, which refuse them. */
export function createStockLimit(max: number): StockMiddleware {
  const options = {
    driver: 'memory' as const,
    db: new Map(),
    duration: 60_000,
    max,
    id: ({ state }: { state: { context: { caller: { keyId: string } } } }) => state.context.caller.keyId,
  };
  const limit = ratelimit(options as never) as StockMiddleware; // its types know Koa's plain context only
  return (ctx, next) => (ctx.state.context.caller ? limit(ctx, next) : next());
}

/**
 * A write's entry is stored before the call is made: the adapters answer before anybody behind them is asked.
 * Those of reads go in batches.
 */
export function createStockAudit(trail: AuditTrail): StockMiddleware {
  const addToBatch = createAuditBatch((entries) => trail.storeNow(entries));
  return async (ctx, next) => {
    const { caller, requestId } = ctx.state.context;
    if (!caller) return next();
    const { keyId, userId } = caller;
    const known = { at: new Date(), userId, keyId, address: ctx.ip, requestId, via: 'rest' as const };
    const entry = { ...known, operation: ctx.path, target: null, code: null };
    if (ctx.method === 'POST') await trail.storeNow([{ ...entry, status: 0 }]);
    await next();
    if (ctx.method !== 'POST') addToBatch({ ...entry, status: ctx.res.statusCode });
  };
}
