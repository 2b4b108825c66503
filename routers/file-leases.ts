/**
 * One writer of a file at a time, over all processes, as the panel has no write on a condition; and one restore of a server,
 * as the panel lets two pass that come at once.
 */
import { setTimeout } from 'node:timers/promises';
import type { Lease } from '../models/support/lease.ts';
import type { Context } from './context.ts';
import { ApiError, asApiError, badRequest } from './errors.ts';

/** How long a writer waits for its turn. */
const waitMs = 3_000;
const pauseMs = 50;

type LeaseContext = Pick<Context, 'models'>;

interface LeasedFile {
  server: string;
  path: string;
}

/** @throws conflict where another writer takes long */
export async function withFileLease<Result>(
  ctx: LeaseContext,
  file: LeasedFile,
  write: () => Promise<Result>,
): Promise<Result> {
  return actUnder(await takeInTime(ctx, file), write);
}

/** @throws bad_request while another restore of the server is being begun */
export async function withRestoreLease<Result>(
  { models }: LeaseContext,
  server: string,
  restore: () => Promise<Result>,
): Promise<Result> {
  const lease = await models.fileLeases.take(server, null);
  if (!lease) throw badRequest('Another restore of the server is in progress');
  return actUnder(lease, restore);
}

async function actUnder<Result>(lease: Lease, write: () => Promise<Result>): Promise<Result> {
  const [result] = await Promise.allSettled([write()]);
  // A write whose outcome is unknown may still come: the lease ends by itself then.
  const isOver = result.status === 'fulfilled' || !asApiError(result.reason).isOutcomeUnknown;
  if (isOver) await lease.release().catch(() => {});
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

async function takeInTime({ models }: LeaseContext, { server, path }: LeasedFile): Promise<Lease> {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    const lease = await models.fileLeases.take(server, path);
    if (lease) return lease;
    if (performance.now() >= giveUpAt) throw writtenByAnother();
    await setTimeout(pauseMs * (0.5 + Math.random()));
  }
}

const writtenByAnother = () =>
  new ApiError('conflict', 'Another write of this file is in progress; try again', { retryAfterSeconds: 1 });
