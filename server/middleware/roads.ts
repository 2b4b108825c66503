/** Where the road of a request forks by its path: it takes one road, and meets nobody who stands along the others. */
import compose from 'koa-compose';
import type { Middleware } from '../../bridge/request-state.ts';

type IsOn = (path: string) => boolean;

/** Null where there is nothing to do. */
type Along = (Middleware | null)[];

/** Takes the first road that a request is on; from its end, or when it is on none, it goes on. */
export function createRoads(...roads: [isOn: IsOn, ...along: Along][]): Middleware {
  const ways = roads.map(([isOn, ...along]) => ({ isOn, walk: inTurn(...along) }));
  return function roads(ctx, next) {
    const { path } = ctx.state;
    for (const { isOn, walk } of ways) if (isOn(path)) return walk(ctx, next);
    return next();
  };
}

/** Several as one. */
export const inTurn = (...along: Along): Middleware =>
  compose(along.filter((middleware) => middleware !== null));

/** One path only. */
export const at =
  (place: string): IsOn =>
  (path) =>
    path === place;

/** A path and all below it. */
export function below(prefix: string): IsOn {
  const inside = `${prefix}/`;
  return (path) => path === prefix || path.startsWith(inside);
}

export const anywhere: IsOn = () => true;
