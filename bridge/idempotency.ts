/**
 * Idempotency keys: a write with a key runs once, and its first response is repeated for 24 hours. We store successes, and
 * upstream failures that leave open whether the write happened. If a write ends with an internal error or its process dies, a
 * retry runs it with the same id, and the stores recognize the id. Any other refusal releases the key.
 */
import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { idempotencyKeyLengthMax } from '../models/bounds.ts';
import type { Context, Outcome, Transaction } from '../routers/context.ts';
import { ApiError, asApiError, badRequest, type ErrorCode, stillInProgress } from '../routers/errors.ts';
import type { Endpoint } from '../routers/trpc.ts';

export type ClaimStore = Context['models']['idempotencyRecords'];

type ClaimRequest = Omit<Parameters<ClaimStore['claim']>[0], 'now'>;
type ClaimResult = Awaited<ReturnType<ClaimStore['claim']>>;
type Claim = Extract<ClaimResult, { state: 'claimed' }>['claim'];

type Write = (attempt: Required<WriteAttempt>) => Promise<object>;

/** Stores recognize a retry by its `writeId`. The panel stores no ids, so a retry of a panel write first looks for the result. */
type WriteAttempt = Pick<Context, 'writeId' | 'earlierTryAt' | 'storeResponse'>;

interface IdempotentCall {
  claims: ClaimStore;
  idempotencyKey: unknown;
  context: Context;
  keyId: string;
  operation: string;
  /** Parsed by the operation's schema, so that the order of its fields does not matter. */
  input: unknown;
  toPublicOutput(output: object): object;
  /** A secret output is never stored: a retry runs the write again with the same id. */
  hasSecretOutput: boolean;
  secretFields: Endpoint['secretFields'];
}

/** @throws bad_request for a malformed key or one used for another request, conflict if the first call takes too long */
export async function runOnce(call: IdempotentCall, write: Write): Promise<object> {
  const { context } = call;
  const result = await claimOrWait(call, claimRequestOf(call));
  if (result.state === 'differs')
    throw badRequest('The idempotency key was used for another request; use a new one for each request');
  if (result.state === 'in_progress') throw stillInProgress();
  if (result.state === 'claimed') return writeWithClaim(result.claim, call, write);
  const output = replay(result.response, context);
  return mayReadAll(call) ? output : hideSecrets(call, output);
}

const isIdempotencyKey = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= idempotencyKeyLengthMax && /^[\x20-\x7e]+$/.test(value);

function claimRequestOf({ idempotencyKey, keyId, operation, input }: IdempotentCall): ClaimRequest {
  if (!isIdempotencyKey(idempotencyKey))
    throw badRequest(
      `The idempotency key must be 1 to ${idempotencyKeyLengthMax} printable ASCII characters`,
    );
  const fingerprint = hash('sha256', JSON.stringify([operation, input]), 'hex');
  return { keyId, idempotencyKey, fingerprint };
}

const waitMs = 5000;
const pausesMs = { first: 50, longest: 500 };

/** Waits for a call in progress, but not longer than clients wait. */
async function claimOrWait(
  { claims, context: { clock } }: IdempotentCall,
  request: ClaimRequest,
): Promise<ClaimResult> {
  const deadline = clock() + waitMs;
  for (let pauseMs = pausesMs.first; ; pauseMs = Math.min(2 * pauseMs, pausesMs.longest)) {
    const result = await claims.claim({ ...request, now: new Date(clock()) });
    if (result.state !== 'in_progress' || clock() >= deadline) return result;
    await setTimeout(pauseMs);
  }
}

const retriedFailures: readonly ErrorCode[] = ['internal_error', 'overloaded'];

async function writeWithClaim(claim: Claim, call: IdempotentCall, write: Write): Promise<object> {
  const { claims } = call;
  let stored = '';
  const storeResponse = async (output: object, transaction: Transaction) => {
    const response = serializeResponse({ output: call.toPublicOutput(output), ...call.context.outcome });
    if (!(await claims.completeInTransaction(claim, response, transaction))) throw stillInProgress();
    stored = response;
  };
  const { writeId, earlierTryAt } = claim;
  const attempt = { writeId, earlierTryAt, storeResponse: call.hasSecretOutput ? undefined : storeResponse };
  const [result] = await Promise.allSettled([write(attempt)]);
  await storeOutcome({ claim, call, stored }, result);
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

type StoredResponse = ({ output: object } & Outcome) | { error: { code: ErrorCode; message: string } };

const serializeResponse = (response: StoredResponse) => JSON.stringify(response);

interface ClaimedCall {
  claim: Claim;
  call: IdempotentCall;
  stored: string;
}

async function storeOutcome(
  { claim, call, stored }: ClaimedCall,
  result: PromiseSettledResult<object>,
): Promise<void> {
  const { claims } = call;
  if (result.status === 'fulfilled') {
    if (call.hasSecretOutput) return claims.expireLease(claim);
    const output = claims.isEncrypted ? result.value : hideSecrets(call, result.value);
    const response = serializeResponse({ output, ...call.context.outcome });
    return response === stored ? undefined : claims.complete(claim, response);
  }
  const { apiCode: code, message, isOutcomeUnknown } = asApiError(result.reason);
  // Not awaited, because the store that failed may fail again.
  if (retriedFailures.includes(code)) return void claims.expireLease(claim);
  if (isOutcomeUnknown) return claims.complete(claim, serializeResponse({ error: { code, message } }));
  // An earlier attempt may have succeeded, so the next attempt must look for its result again.
  if (claim.earlierTryAt) return claims.expireLease(claim);
  // A claim that cannot be released ends with its lease.
  await claims.release(claim).catch(() => {});
}

const mayReadAll = ({ secretFields, context: { caller } }: IdempotentCall) =>
  !secretFields || caller.scopes.includes(secretFields.scope);

const hideSecrets = ({ secretFields }: IdempotentCall, output: object) =>
  secretFields ? secretFields.hide(output as never) : output; // the operation's own output

function replay(response: string, context: Context): object {
  const stored = JSON.parse(response) as StoredResponse; // as serializeResponse wrote it
  context.outcome.isReplayed = true;
  if ('error' in stored) throw new ApiError(stored.error.code, stored.error.message);
  const { output, ...outcome } = stored;
  Object.assign(context.outcome, outcome);
  return output;
}
