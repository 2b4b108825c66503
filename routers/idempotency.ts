/**
 * The rule of idempotency keys: what is asked for under one is done once, and its first answer is given to whoever asks
 * again within 24 hours. Kept are successes, and failures that leave open whether it was done; after every other
 * refusal the key may be used again.
 */
import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Claim, ClaimOutcome, ClaimRequest } from '../models/idempotency-record.ts';
import type { Context } from './context.ts';
import { ApiError, asApiError, badRequest, conflict, type ErrorCode } from './errors.ts';

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
export async function answerOnce(call: KeyedCall, act: () => Promise<unknown>): Promise<unknown> {
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

async function actUnder(
  claim: Claim,
  { models: { idempotencyRecords } }: Context,
  act: () => Promise<unknown>,
): Promise<unknown> {
  const [outcome] = await Promise.allSettled([act()]);
  const answer = answerToKeep(outcome);
  const kept =
    answer === null ? idempotencyRecords.release(claim) : idempotencyRecords.complete(claim, answer);
  await kept.catch(() => {}); // What was done is done and must be told; the claim runs out by itself.
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

type KeptAnswer = { output: unknown } | { error: { code: ErrorCode; message: string } };

/** As JSON, so that it is the same to the byte when it is given again; null for what is not kept. */
function answerToKeep(outcome: PromiseSettledResult<unknown>): string | null {
  if (outcome.status === 'fulfilled') return JSON.stringify({ output: outcome.value } satisfies KeptAnswer);
  const { apiCode: code, message, isOutcomeUnknown } = asApiError(outcome.reason);
  return isOutcomeUnknown ? JSON.stringify({ error: { code, message } } satisfies KeptAnswer) : null;
}

function replay(answer: string): unknown {
  const kept = JSON.parse(answer) as KeptAnswer; // written by answerToKeep
  if ('error' in kept) throw new ApiError(kept.error.code, kept.error.message);
  return kept.output;
}
