/** /api/v1: the catalogue's rows as REST routes. Answers go out in the contract's words and statuses, nothing else. */
import Router from '@koa/router';
import { ApiError, notFound, unauthorized } from '../routers/errors.ts';
import { keepFrozen } from '../routers/keep-frozen.ts';
import { recordedCall } from './call-record.ts';
import type { Row } from './catalogue.ts';
import { idempotencyOf } from './idempotency-key.ts';
import type { ContextOf, Middleware, RequestContext } from './request-state.ts';
import { type RestInput, restInputOf } from './rest-input.ts';

export const restPrefix = '/api/v1';

/** Routes for rows; a request that none of them matches goes on to the next middleware. */
export function createRest(rows: readonly Row[], contextOf: ContextOf): Middleware {
  const router = new Router<RequestContext['state']>({ prefix: restPrefix, sensitive: true });
  for (const row of rows) router.register(routePath(row), [row.method], createAnswer(row, contextOf));
  return router.routes() as Middleware; // the router adds fields of its own to the context, which no other reads
}

function createAnswer(row: Row, contextOf: ContextOf): Middleware {
  const toJson = keepFrozen((output: object) => Buffer.from(JSON.stringify(output)));
  const inputOf: RestInput = restInputOf(row);
  return async function answer(ctx) {
    const output = await recordedCall(row, ctx.state, {
      context: contextOf(ctx.state),
      readInput: () => inputOf(ctx as RequestContext & { params: Record<string, string> }), // set by the router
      idempotency: idempotencyOf(ctx),
    });
    ctx.status = row.status;
    ctx.type = 'application/json';
    ctx.body = toJson(output as object); // every row's output is an object, as the OpenAPI document wants it
  };
}

/** The end of the road under /api/v1: OPTIONS, a method not offered (405 with Allow), or a path nobody knows. */
export function createRestEnd(rows: readonly Row[]): Middleware {
  const patterns = rows.map((row) => ({ row, pattern: pathPattern(row) }));
  return async function restEnd(ctx) {
    const here = patterns.filter(({ pattern }) => pattern.test(ctx.path)).map(({ row }) => row);
    const needsKey = ctx.method !== 'OPTIONS' && !here.some(({ scope }) => scope === null);
    if (needsKey && !ctx.state.caller) throw unauthorized(ctx.state.keyRefusal);
    if (here.length === 0) throw notFound('Endpoint');
    const Allow = allowed(here.map(({ method }) => method));
    if (ctx.method !== 'OPTIONS')
      throw new ApiError('method_not_allowed', `${ctx.method} is not offered here; use ${Allow}`, {
        headers: { Allow },
      });
    ctx.set({ Allow });
    ctx.status = 204;
  };
}

const routePath = ({ path }: Row) => path.replace(/\{(\w+)\}/g, ':$1').replaceAll('.', '\\.');

const pathPattern = ({ path }: Row) =>
  new RegExp(`^${restPrefix}${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`);

const allowed = (methods: string[]) =>
  [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
