/**
 * One writer of a file at a time, over all processes, as the panel has no write on a condition; one writer of a server's
 * schedules; and one restore of a server, as the panel lets two pass that come at once.
 */
import { setTimeout } from 'node:timers/promises';
import type { FileLease, FileLeases } from '../../models/file-lease.ts';
import type { Context } from '../context.ts';
import { ApiError, asApiError, badRequest } from '../errors.ts';

/** How long a writer waits for its turn: longer for schedules, whose writes are many calls and end sooner. */
const waitsMs = { usual: 3_000, schedules: 8_000 };
export const turnMsMax = Math.max(...Object.values(waitsMs));
/** Between two looks whether a writer of another process has ended. */
const pausesMs = { first: 50, longest: 800 };

type LeaseContext = Pick<Context, 'models'>;

interface LeasedFile {
  server: string;
  /** Null: of a restore, which writes all files. `schedules`: of all its schedules; paths begin with a slash. */
  path: string | null;
}

/** @throws conflict where another writer takes long, bad_request where another restore does */
export async function withFileLease<Result>(
  { models: { fileLeases } }: LeaseContext,
  file: LeasedFile,
  write: (hasWaited: boolean) => Promise<Result>,
): Promise<Result> {
  const waitMs = isOfSchedules(file) ? waitsMs.schedules : waitsMs.usual;
  const giveUpAt = performance.now() + waitMs;
  let isWaiting = true;
  let hasGivenUp = false;
  // Of those that wait in this process one asks MongoDB.
  const turn = fileLeases.runInOrder(JSON.stringify(file), async (hasWaitedHere) => {
    const { lease, hasWaited } = await takeUntil(giveUpAt, fileLeases, file);
    isWaiting = false;
    // Its caller was told that nothing was written.
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
  // A write whose outcome is unknown may still come: the lease ends by itself then.
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
