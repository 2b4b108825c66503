/** koa-ratelimit by key, in memory, as its manual shows it. */
import type Koa from 'koa';
import ratelimit from 'koa-ratelimit';
import type { KoaMiddleware } from './koa-app.ts';
import { refusals } from './refusal.ts';

export function createKoaLimit(max: number): KoaMiddleware {
  const options = {
    driver: 'memory' as const,
    db: new Map(),
    duration: 60_000,
    max,
    id: (ctx: Koa.Context) => ctx.state.owner.keyId,
    onLimited: () => {
      throw refusals.rateLimited(60);
    },
  };
  return ratelimit(options) as KoaMiddleware; // its types know Koa's plain context only
}
