/** /healthz and /readyz, for whoever keeps the process and whoever sends it requests: no key, no limit, no audit, no log. */
import type { Middleware, RequestContext } from '../../bridge/request-state.ts';
import type { Readiness } from '../health/readiness.ts';

type Probe = (ctx: RequestContext) => Promise<void>;

export function createHealth(readiness: Readiness): Middleware {
  const probes = new Map<string, Probe>([
    ['/healthz', tellAlive],
    ['/readyz', (ctx) => tellReady(ctx, readiness)],
  ]);
  return function health(ctx, next) {
    const probe = ctx.method === 'GET' || ctx.method === 'HEAD' ? probes.get(ctx.state.path) : undefined;
    return probe ? probe(ctx) : next();
  };
}

const tellAlive: Probe = async (ctx) => {
  ctx.status = 200;
  ctx.state.json = JSON.stringify({ status: 'ok' });
};

async function tellReady(ctx: RequestContext, readiness: Readiness): Promise<void> {
  const { isReady, status, parts } = await readiness.ask();
  ctx.status = isReady ? 200 : 503;
  ctx.state.json = JSON.stringify({ status, parts });
}
