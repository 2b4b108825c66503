/** The Idempotency-Key in HTTP: which operations take one, and where it is sent. */
import { badRequest } from '../../routers/errors.ts';
import type { RequestContext } from './request-state.ts';

export interface Idempotent {
  type: string;
  /** Absent for the account page's procedures, which no key calls. */
  scope?: unknown;
  hasSecretOutput?: true;
}

/** Every write with an API key takes one, unless its response is a secret; other operations ignore it. */
export const takesIdempotencyKey = ({ type, scope, hasSecretOutput }: Idempotent) =>
  type === 'mutation' && scope !== undefined && scope !== null && !hasSecretOutput;

/** The header as sent; undefined where there is none. */
export const sentIdempotencyKey = ({ req }: RequestContext) => req.headers['idempotency-key'];

/** A header does not say which call of a batch it is for. */
export function refuseIdempotencyKeyOfBatch(ctx: RequestContext, callCount: number): void {
  if (callCount > 1 && sentIdempotencyKey(ctx) !== undefined)
    throw badRequest('Idempotency-Key goes with a single call, not with a batch of several');
}
