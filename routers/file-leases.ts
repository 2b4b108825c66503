/**
 * One writer of a file at a time, over all processes, as the panel has no write on a condition; and one restore of a server,
 * as the panel lets two pass that come at once.
 */
import { setTimeout } from 'node:timers/promises';
import type { Context } from './context.ts';
import { ApiError, asApiError, badRequest } from './errors.ts';

/** How long a writer waits for its turn. */
const waitMs = 3_000;
const pauseMs = 50;

type LeaseContext = Pick<Context, 'models'>;

interface LeasedFile {
  server: string;
  /** Null: of a restore, which writes all files. */
  path: string | null;
}

/** @throws conflict where another writer takes long, bad_request where another restore does */
export async function withFileLease<Result>(
  ctx: LeaseContext,
  file: LeasedFile,
  write: (hasWaited: boolean) => Promise<Result>,
): Promise<Result> {
  const { lease, hasWaited } = await takeInTime(ctx, file);
  const [result] = await Promise.allSettled([write(hasWaited)]);
  // A write whose outcome is unknown may still come: the lease ends by itself then.
  const isOver = result.status === 'fulfilled' || !asApiError(result.reason).isOutcomeUnknown;
  if (isOver) await lease.release().catch(() => {});
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

async function takeInTime({ models }: LeaseContext, { server, path }: LeasedFile) {
  const giveUpAt = performance.now() + waitMs;
  for (let hasWaited = false; ; hasWaited = true) {
    const lease = await models.fileLeases.take(server, path);
    if (lease) return { lease, hasWaited };
    if (performance.now() >= giveUpAt) throw path === null ? restoredByAnother() : writtenByAnother();
    await setTimeout(pauseMs * (0.5 + Math.random()));
  }
}

const restoredByAnother = () => badRequest('Another restore of the server is in progress');

const writtenByAnother = () =>
  new ApiError('conflict', 'Another write of this file is in progress; try again', { retryAfterSeconds: 1 });
