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

interface RestParts {
  rows: readonly Row[];
  contextOf: ContextOf;
  /** Whom everybody passes but who asks for what is open to all. */
  keyed: Middleware;
}

/** Nothing of a request is left to others: an unknown path, too, has its answer here. */
export function createRest({ rows, contextOf, keyed }: RestParts): Middleware {
  const find = createFind(rows.flatMap((row) => routesOf(row, createTarget(row, contextOf))));
  return function rest(ctx) {
    const place = find(ctx.state.path);
    const target = place?.targets.get(ctx.state.method);
    const answer = () => (place && target ? target.answer(ctx, place.params) : endOfRoad(ctx, place));
    return target?.isOpen ? answer() : keyed(ctx, answer);
  };
}

interface Target {
  isOpen: boolean;
  answer: Answer;
}

const createTarget = (row: Row, contextOf: ContextOf): Target => ({
  isOpen: row.scope === null,
  answer: createAnswer(row, contextOf),
});

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

/** OPTIONS, a method not offered (405 with Allow), or a path nobody knows. */
async function endOfRoad(ctx: RequestContext, place: Place<Target> | null): Promise<void> {
  const { method, caller, keyRefusal } = ctx.state;
  const isForAll = place && [...place.targets.values()].some(({ isOpen }) => isOpen);
  if (method !== 'OPTIONS' && !isForAll && !caller) throw unauthorized(keyRefusal);
  if (!place) throw notFound('Endpoint');
  const Allow = [...place.targets.keys(), 'OPTIONS'].join(', ');
  if (method !== 'OPTIONS')
    throw new ApiError('method_not_allowed', `${method} is not offered here; use ${Allow}`, {
      headers: { Allow },
    });
  ctx.state.headers['Allow'] = Allow;
  ctx.status = 204;
}

/** What can be got can be asked for its head. */
const routesOf = <Target>({ method, path }: Row, target: Target): Route<Target>[] =>
  (method === 'GET' ? ['GET', 'HEAD'] : [method]).map((offered) => ({
    method: offered,
    path: restPrefix + path,
    target,
  }));
