/**
 * The rule of idempotency keys: what is asked for under one is done once, and its first answer is given to whoever asks
 * again within 24 hours. Kept are successes, and failures of others that leave open whether it was done. After a failure
 * of ours, or the death of a process, the same write is made again, which the stores then know by its id; after every
 * other refusal the key may be used anew.
 */
import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Claim, ClaimOutcome, ClaimRequest } from '../models/idempotency-record.ts';
import type { Context } from './context.ts';
import { ApiError, asApiError, badRequest, conflict, type ErrorCode } from './errors.ts';

type Act = (writeId: string) => Promise<object>;

export const idempotencyKeyLengthMax = 255;

/** What a caller brings to a write that must not happen twice. */
export interface Idempotency {
  /** As it was sent; judged here. */
  idempotencyKey: unknown;
  /** Called before the first answer is given again. */
  onReplay: () => void;
}

export interface KeyedCall extends Idempotency {
  context: Context;
  /** The caller's API key, for which alone the idempotency key counts. */
  keyId: string;
  operation: string;
  /** As the operation's shape gives it, so that the order of its fields says nothing. */
  input: unknown;
}

/**
 * Acts, unless the same was asked for before under the same idempotency key.
 * @throws bad_request for an idempotency key that is none or was used for something else,
 * conflict when the first call takes too long
 */
export async function answerOnce(call: KeyedCall, act: Act): Promise<object> {
  const { context, onReplay } = call;
  const outcome = await claimInTime(context, claimRequestOf(call));
  if (outcome.state === 'differs')
    throw badRequest('The idempotency key was used for another request; use a new one for each request');
  if (outcome.state === 'under_way') throw conflict();
  if (outcome.state === 'claimed') return actUnder(outcome.claim, context, act);
  onReplay();
  return replay(outcome.answer);
}

const isIdempotencyKey = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= idempotencyKeyLengthMax && /^[\x20-\x7e]+$/.test(value);

function claimRequestOf({ idempotencyKey, keyId, operation, input }: KeyedCall): Omit<ClaimRequest, 'now'> {
  if (!isIdempotencyKey(idempotencyKey))
    throw badRequest(
      `The idempotency key must be 1 to ${idempotencyKeyLengthMax} printable ASCII characters`,
    );
  const fingerprint = hash('sha256', JSON.stringify([operation, input]), 'hex');
  return { keyId, idempotencyKey, fingerprint };
}

const waitMs = 5000;
const pausesMs = { first: 50, longest: 500 };

/** Waits for a call under way as long as a caller likes to wait. */
async function claimInTime(
  { models, clock }: Context,
  request: Omit<ClaimRequest, 'now'>,
): Promise<ClaimOutcome> {
  const deadline = clock() + waitMs;
  for (let pauseMs = pausesMs.first; ; pauseMs = Math.min(2 * pauseMs, pausesMs.longest)) {
    const outcome = await models.idempotencyRecords.claim({ ...request, now: new Date(clock()) });
    if (outcome.state !== 'under_way' || clock() >= deadline) return outcome;
    await setTimeout(pauseMs);
  }
}

async function actUnder(claim: Claim, context: Context, act: Act): Promise<object> {
  const [outcome] = await Promise.allSettled([act(claim.writeId)]);
  const isOurFailure =
    outcome.status === 'rejected' && asApiError(outcome.reason).apiCode === 'internal_error';
  // The caller need not wait: the store that failed may go on failing.
  if (isOurFailure) void context.models.idempotencyRecords.passOn(claim);
  // What was done is done and must be told; the claim runs out by itself.
  else await settle(claim, context, outcome).catch(() => {});
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

type KeptAnswer = { output: object } | { error: { code: ErrorCode; message: string } };

/** Answers are kept as JSON, so that they are the same to the byte when they are given again. */
function settle(
  claim: Claim,
  { models: { idempotencyRecords } }: Context,
  outcome: PromiseSettledResult<object>,
): Promise<void> {
  const keep = (answer: KeptAnswer) => idempotencyRecords.complete(claim, JSON.stringify(answer));
  if (outcome.status === 'fulfilled') return keep({ output: outcome.value });
  const { apiCode: code, message, isOutcomeUnknown } = asApiError(outcome.reason);
  return isOutcomeUnknown ? keep({ error: { code, message } }) : idempotencyRecords.release(claim);
}

function replay(answer: string): object {
  const kept = JSON.parse(answer) as KeptAnswer; // written by settle
  if ('error' in kept) throw new ApiError(kept.error.code, kept.error.message);
  return kept.output;
}
