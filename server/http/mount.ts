/** Mounts: the first whose path a request has takes it, and the middleware of the others costs it nothing. */
import koaCompose from 'koa-compose';
import type { Middleware } from '../../bridge/http/request-state.ts';

/** Whether a path belongs to a mount. */
type Matches = (path: string) => boolean;

/** Null for a middleware that is turned off. */
type Chain = (Middleware | null)[];

export function mount(...mounts: [matches: Matches, ...chain: Chain][]): Middleware {
  const composed = mounts.map(([matches, ...chain]) => ({ matches, handle: compose(...chain) }));
  return function mounted(ctx, next) {
    const { path } = ctx.state;
    for (const { matches, handle } of composed) if (matches(path)) return handle(ctx, next);
    return next();
  };
}

export const compose = (...chain: Chain): Middleware =>
  koaCompose(chain.filter((middleware) => middleware !== null));

/** One path only. */
export const at =
  (only: string): Matches =>
  (path) =>
    path === only;

/** A path and everything below it. */
export function below(prefix: string): Matches {
  const inside = `${prefix}/`;
  return (path) => path === prefix || path.startsWith(inside);
}

export const anywhere: Matches = () => true;
export const nowhere: Matches = () => false;
