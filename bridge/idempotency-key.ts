/** The Idempotency-Key in HTTP's words: which operations take one, where it is read, and how a replay is told. */
import { badRequest } from '../routers/errors.ts';
import type { Idempotency } from '../routers/idempotency.ts';
import type { RequestContext } from './request-state.ts';

export interface Operation {
  type: string;
  scope: unknown;
}

/** Every write with a key takes one; to reads it means nothing. */
export const takesIdempotencyKey = ({ type, scope }: Operation) => type === 'mutation' && scope !== null;

const sentKey = ({ req }: RequestContext) => req.headers['idempotency-key'];

/** What the request, or the call in it, brings; undefined where it brings none. */
export function idempotencyOf(
  ctx: RequestContext,
  idempotencyKey: unknown = sentKey(ctx),
): Idempotency | undefined {
  if (idempotencyKey === undefined) return undefined;
  const { headers } = ctx.state;
  const onReplay = () => {
    headers['Idempotency-Replayed'] = 'true';
  };
  return { idempotencyKey, onReplay };
}

/** A header says nothing of which call it is meant for. */
export function refuseHeaderFor(ctx: RequestContext, callCount: number): void {
  if (callCount > 1 && sentKey(ctx) !== undefined)
    throw badRequest('Idempotency-Key goes with a single call, not with a batch of several');
}
