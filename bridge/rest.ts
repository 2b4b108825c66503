/** /api/v1: the catalogue's rows as REST routes. Answers go out in the contract's words and statuses, nothing else. */
import { ApiError, notFound, unauthorized } from '../routers/errors.ts';
import { keepFrozen } from '../routers/keep-frozen.ts';
import { recordedCall } from './call-record.ts';
import type { Row } from './catalogue.ts';
import { idempotencyOf } from './idempotency-key.ts';
import { answerJson, type ContextOf, type Middleware, type RequestContext } from './request-state.ts';
import { restInputOf } from './rest-input.ts';
import { createFind, type Place, type Route } from './routes.ts';

export const restPrefix = '/api/v1';

/** Routes for rows; a request that none of them matches goes on to the next middleware. */
export function createRest(rows: readonly Row[], contextOf: ContextOf): Middleware {
  const find = createFind(rows.flatMap((row) => routesOf(row, createAnswer(row, contextOf))));
  return function rest(ctx, next) {
    const place = find(ctx.state.path);
    const answer = place?.targets.get(ctx.state.method);
    return place && answer ? answer(ctx, place.params) : next();
  };
}

type Answer = (ctx: RequestContext, params: Place<unknown>['params']) => Promise<void>;

function createAnswer(row: Row, contextOf: ContextOf): Answer {
  const inputOf = restInputOf(row);
  const jsonOf = keepFrozen((output: object) => JSON.stringify(output));
  return async function answer(ctx, params) {
    const output = await recordedCall(row, ctx.state, {
      context: contextOf(ctx.state),
      readInput: () => inputOf(ctx, params),
      idempotency: idempotencyOf(ctx),
    });
    answerJson(ctx, row.status, jsonOf(output));
  };
}

/** The end of the road under /api/v1: OPTIONS, a method not offered (405 with Allow), or a path nobody knows. */
export function createRestEnd(rows: readonly Row[]): Middleware {
  const find = createFind(rows.flatMap((row) => routesOf(row, row)));
  return async function restEnd(ctx) {
    const targets = find(ctx.state.path)?.targets;
    const isOpen = targets && [...targets.values()].some(({ scope }) => scope === null);
    if (ctx.state.method !== 'OPTIONS' && !isOpen && !ctx.state.caller)
      throw unauthorized(ctx.state.keyRefusal);
    if (!targets) throw notFound('Endpoint');
    const Allow = [...targets.keys(), 'OPTIONS'].join(', ');
    if (ctx.state.method !== 'OPTIONS')
      throw new ApiError('method_not_allowed', `${ctx.state.method} is not offered here; use ${Allow}`, {
        headers: { Allow },
      });
    ctx.state.headers['Allow'] = Allow;
    ctx.status = 204;
  };
}

/** What can be got can be asked for its head. */
const routesOf = <Target>({ method, path }: Row, target: Target): Route<Target>[] =>
  (method === 'GET' ? ['GET', 'HEAD'] : [method]).map((offered) => ({
    method: offered,
    path: restPrefix + path,
    target,
  }));
