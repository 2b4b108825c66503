/** /healthz and /readyz, for supervisors and load balancers: no key, no limit, no audit, no log. */
import { type Middleware, type RequestContext, respondJson } from '../../bridge/http/request-state.ts';
import type { Readiness } from '../observability/health/readiness.ts';

type Probe = (ctx: RequestContext) => Promise<void>;

export function createHealth(readiness: Readiness): Middleware {
  const probes = new Map<string, Probe>([
    ['/healthz', tellAlive],
    ['/readyz', (ctx) => tellReady(ctx, readiness)],
  ]);
  return function health(ctx, next) {
    const { method, path } = ctx.state;
    const probe = method === 'GET' || method === 'HEAD' ? probes.get(path) : undefined;
    return probe ? probe(ctx) : next();
  };
}

const tellAlive: Probe = async (ctx) => {
  respondJson(ctx, 200, JSON.stringify({ status: 'ok' }));
};

async function tellReady(ctx: RequestContext, readiness: Readiness): Promise<void> {
  const { isReady, status, parts } = await readiness.check();
  respondJson(ctx, isReady ? 200 : 503, JSON.stringify({ status, parts }));
}
