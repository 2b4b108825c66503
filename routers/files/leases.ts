/**
 * Leases that hold across all processes. A file has one writer at a time, and so have a server's schedules and its startup,
 * because the panel has no conditional write. A server has one restore or reinstallation at a time, because the panel accepts
 * two that arrive at once.
 */
import { setTimeout } from 'node:timers/promises';
import type { FileLease, FileLeases } from '../../models/file-lease.ts';
import type { Context } from '../context.ts';
import { ApiError, asApiError, badRequest, conflict } from '../errors.ts';

/** How long a writer waits for its turn: longer where the write before it takes many calls. */
const usualWaitMs = 3_000;
export const turnMsMax = 8_000;
/** The pauses between checks whether a writer in another process has finished. */
const pausesMs = { first: 50, longest: 800 };

type LeaseContext = Pick<Context, 'models'>;

interface LeasedFile {
  server: string;
  /**
   * Null: a restore, which writes all files. `schedules`: all schedules of the server. `startup`: how it starts. Paths begin
   * with a slash.
   */
  path: string | null;
}

/** @throws conflict if another writer takes too long, bad_request if another restore does */
export async function withFileLease<Result>(
  { models: { fileLeases } }: LeaseContext,
  file: LeasedFile,
  write: (hasWaited: boolean) => Promise<Result>,
): Promise<Result> {
  const waitMs = whatOf(file) ? turnMsMax : usualWaitMs;
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

export const reinstallationInProgress = () =>
  conflict('A restore or another reinstallation of the server is in progress');

/** Takes the lease of a restore. @throws conflict at once if it is taken, or if a file is being fetched to the server */
export async function withReinstallationLease<Result>(
  { models: { fileLeases } }: LeaseContext,
  server: string,
  reinstall: () => Promise<Result>,
): Promise<Result> {
  const lease = await fileLeases.take(server, null);
  if (!lease) throw reinstallationInProgress();
  return writeUnder(lease, async () => {
    if (!(await fileLeases.hasFetch(server))) return reinstall();
    throw conflict('A file is being fetched to the server: wait until it has ended');
  });
}

/** Shows other processes that a file is being fetched: a reinstallation then waits. */
export async function withFetchMark<Result>(
  { models: { fileLeases } }: LeaseContext,
  server: string,
  fetch: () => Promise<Result>,
): Promise<Result> {
  return writeUnder(await fileLeases.markFetch(server), fetch);
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

type Target = Pick<LeasedFile, 'path'>;

/** Writes that take many calls of the panel, as messages name them. */
const longWrites: Partial<Record<string, string>> = {
  schedules: "write of the server's schedules",
  startup: "change of the server's startup",
};

const whatOf = ({ path }: Target) => longWrites[path ?? ''];

export function takenByAnother(file: Target) {
  if (file.path === null) return badRequest('Another restore of the server is in progress');
  const what = whatOf(file) ?? 'write of this file';
  return new ApiError('conflict', `Another ${what} is in progress; try again`, { retryAfterSeconds: 1 });
}
