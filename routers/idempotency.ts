/**
 * Idempotency keys: a write under a key is done once, and its first response is repeated for 24 hours. Stored are successes,
 * and upstream failures that leave open whether it was done. After a failure of ours, or the death of a process, the write
 * is made again under the same id, by which the stores recognize it; after any other refusal the key is free again.
 */
import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Claim, ClaimOutcome, ClaimRequest } from '../models/idempotency-record.ts';
import type { Context } from './context.ts';
import { ApiError, asApiError, badRequest, conflict, type ErrorCode } from './errors.ts';

/** What a procedure tells of its result beside the output. */
export type ResultHooks = Required<Pick<Context, 'onCreated' | 'auditOwner'>>;

type Act = (own: Pick<Context, 'writeId' | keyof ResultHooks>) => Promise<object>;

export const idempotencyKeyLengthMax = 255;

/** What a caller brings to a write that must not happen twice. */
interface Idempotency {
  /** As it was sent; judged here. */
  idempotencyKey: unknown;
  /** Called before the first answer is given again. */
  onReplay: () => void;
}

export interface IdempotentCall extends Idempotency {
  context: Context;
  /** The caller's API key, for which alone the idempotency key counts. */
  keyId: string;
  operation: string;
  /** As the operation's schema parsed it, so that the order of its fields does not matter. */
  input: unknown;
}

/**
 * Acts, unless the same was asked for before under the same idempotency key.
 * @throws bad_request for an idempotency key that is none or was used for something else,
 * conflict when the first call takes too long
 */
export async function answerOnce(call: IdempotentCall, act: Act): Promise<object> {
  const { context, onReplay } = call;
  const outcome = await claimInTime(context, claimRequestOf(call));
  if (outcome.state === 'differs')
    throw badRequest('The idempotency key was used for another request; use a new one for each request');
  if (outcome.state === 'in_progress') throw conflict();
  if (outcome.state === 'claimed') return actUnder(outcome.claim, context, act);
  onReplay();
  return replay(outcome.answer, context);
}

const isIdempotencyKey = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= idempotencyKeyLengthMax && /^[\x20-\x7e]+$/.test(value);

function claimRequestOf({
  idempotencyKey,
  keyId,
  operation,
  input,
}: IdempotentCall): Omit<ClaimRequest, 'now'> {
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
async function claimInTime(
  { models, clock }: Context,
  request: Omit<ClaimRequest, 'now'>,
): Promise<ClaimOutcome> {
  const deadline = clock() + waitMs;
  for (let pauseMs = pausesMs.first; ; pauseMs = Math.min(2 * pauseMs, pausesMs.longest)) {
    const outcome = await models.idempotencyRecords.claim({ ...request, now: new Date(clock()) });
    if (outcome.state !== 'in_progress' || clock() >= deadline) return outcome;
    await setTimeout(pauseMs);
  }
}

async function actUnder(claim: Claim, context: Context, act: Act): Promise<object> {
  const { told, hooks } = listen(context);
  const [outcome] = await Promise.allSettled([act({ writeId: claim.writeId, ...hooks })]);
  const isOurFailure =
    outcome.status === 'rejected' && asApiError(outcome.reason).apiCode === 'internal_error';
  // Not awaited: the store that failed may keep failing.
  if (isOurFailure) void context.models.idempotencyRecords.expireLease(claim);
  // What was done must be reported even if it cannot be stored; the lease expires.
  else await settle(claim, context, { ...outcome, told }).catch(() => {});
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/** What the hooks were told, which a replay tells them again. */
interface Told {
  isCreated?: true;
  ownerId?: number;
}

function listen(context: Context): { told: Told; hooks: ResultHooks } {
  const told: Told = {};
  const onCreated = () => {
    told.isCreated = true;
    context.onCreated?.();
  };
  const auditOwner = (userId: number) => {
    told.ownerId = userId;
    context.auditOwner?.(userId);
  };
  return { told, hooks: { onCreated, auditOwner } };
}

type KeptAnswer = ({ output: object } & Told) | { error: { code: ErrorCode; message: string } };

/** Answers are kept as JSON, so that they are the same to the byte when they are given again. */
function settle(
  claim: Claim,
  { models: { idempotencyRecords } }: Context,
  outcome: PromiseSettledResult<object> & { told: Told },
): Promise<void> {
  const keep = (answer: KeptAnswer) => idempotencyRecords.complete(claim, JSON.stringify(answer));
  if (outcome.status === 'fulfilled') return keep({ output: outcome.value, ...outcome.told });
  const { apiCode: code, message, isOutcomeUnknown } = asApiError(outcome.reason);
  return isOutcomeUnknown ? keep({ error: { code, message } }) : idempotencyRecords.release(claim);
}

function replay(answer: string, { onCreated, auditOwner }: Context): object {
  const kept = JSON.parse(answer) as KeptAnswer; // written by settle
  if ('error' in kept) throw new ApiError(kept.error.code, kept.error.message);
  if (kept.isCreated) onCreated?.();
  if (kept.ownerId !== undefined) auditOwner?.(kept.ownerId);
  return kept.output;
}
