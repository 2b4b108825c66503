/**
 * Leases that hold across all processes. A file has one writer at a time, and so have a server's schedules, because the
 * panel has no conditional write. A server has one restore at a time, because the panel accepts two that arrive at once.
 */
import { setTimeout } from 'node:timers/promises';
import type { FileLease, FileLeases } from '../../models/file-lease.ts';
import type { Context } from '../context.ts';
import { ApiError, asApiError, badRequest } from '../errors.ts';

/**
 * How long a writer waits for its turn. Writers of schedules wait longer, because the write before them takes many calls.
 */
const waitsMs = { usual: 3_000, schedules: 8_000 };
export const turnMsMax = Math.max(...Object.values(waitsMs));
/** The pauses between checks whether a writer in another process has finished. */
const pausesMs = { first: 50, longest: 800 };

type LeaseContext = Pick<Context, 'models'>;

interface LeasedFile {
  server: string;
  /** Null: a restore, which writes all files. `schedules`: all schedules of the server. Paths begin with a slash. */
  path: string | null;
}

/** @throws conflict if another writer takes too long, bad_request if another restore does */
export async function withFileLease<Result>(
  { models: { fileLeases } }: LeaseContext,
  file: LeasedFile,
  write: (hasWaited: boolean) => Promise<Result>,
): Promise<Result> {
  const waitMs = isOfSchedules(file) ? waitsMs.schedules : waitsMs.usual;
  const giveUpAt = performance.now() + waitMs;
  let isWaiting = true;
  let hasGivenUp = false;
  // Only one waiting writer of this process polls MongoDB.
  const turn = fileLeases.runInOrder(JSON.stringify(file), async (hasWaitedHere) => {
    const { lease, hasWaited } = await takeUntil(giveUpAt, fileLeases, file);
    isWaiting = false;
    // The caller already has a response saying that nothing was written.
    if (hasGivenUp) return lease.release().then(() => Promise.reject(takenByAnother(file)));
    return writeUnder(lease, () => write(hasWaitedHere || hasWaited));
  });
  const late = setTimeout(waitMs, undefined, { ref: false }).then(() => {
    if (!isWaiting) return turn;
    hasGivenUp = true;
    throw takenByAnother(file);
  });
  return Promise.race([turn, late]);
}

async function writeUnder<Result>(lease: FileLease, write: () => Promise<Result>): Promise<Result> {
  const [result] = await Promise.allSettled([write()]);
  // A write whose outcome is unknown may still take effect, so its lease is left to expire.
  const isOver = result.status === 'fulfilled' || !asApiError(result.reason).isOutcomeUnknown;
  if (isOver) await lease.release();
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

async function takeUntil(giveUpAt: number, leases: FileLeases, file: LeasedFile) {
  let pauseMs = pausesMs.first;
  for (let hasWaited = false; performance.now() < giveUpAt; hasWaited = true) {
    const lease = await leases.take(file.server, file.path);
    if (lease) return { lease, hasWaited };
    await setTimeout(pauseMs * (0.5 + Math.random()));
    pauseMs = Math.min(2 * pauseMs, pausesMs.longest);
  }
  throw takenByAnother(file);
}

const isOfSchedules = ({ path }: LeasedFile) => path === 'schedules';

function takenByAnother(file: LeasedFile) {
  if (file.path === null) return badRequest('Another restore of the server is in progress');
  const what = isOfSchedules(file) ? "write of the server's schedules" : 'write of this file';
  return new ApiError('conflict', `Another ${what} is in progress; try again`, { retryAfterSeconds: 1 });
}
