/**
 * /healthz and /readyz, for whoever keeps the process and whoever sends it requests: no key, no limit, no audit, no log.
 * While the service is stopping every answer asks its connection to close, so that no request comes after it.
 */
import type { Middleware, RequestContext } from '../../bridge/request-state.ts';
import type { Readiness } from '../health/readiness.ts';

type Probe = (ctx: RequestContext) => void | Promise<void>;

export function createHealth(readiness: Readiness): Middleware {
  const probes = new Map<string, Probe>([
    ['/healthz', tellAlive],
    ['/readyz', (ctx) => tellReady(ctx, readiness)],
  ]);
  return async function health(ctx, next) {
    const probe = probes.get(ctx.path);
    if (probe && (ctx.method === 'GET' || ctx.method === 'HEAD')) await probe(ctx);
    else await next();
    if (readiness.isStopping) ctx.state.headers['Connection'] = 'close';
  };
}

const tellAlive: Probe = (ctx) => {
  ctx.status = 200;
  ctx.state.json = JSON.stringify({ status: 'ok' });
};

async function tellReady(ctx: RequestContext, readiness: Readiness): Promise<void> {
  const { isReady, status, parts } = await readiness.ask();
  ctx.status = isReady ? 200 : 503;
  ctx.state.json = JSON.stringify({ status, parts });
}
