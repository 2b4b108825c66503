/** Fetches files from an address to a server's machine. A file gets its wanted name only after its hash is checked. */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { minuteSeconds } from '../../models/support/durations.ts';
import { ApiError, alreadyExists, badRequest, tooManyPulls, upstreamFailed } from '../../routers/errors.ts';
import { directoryOf } from '../../routers/files/path.ts';
import type { FileFetch } from '../../routers/panel-port.ts';
import { PanelFailure, rethrowFor } from './failures.ts';
import { type FileChanges, requireReachable, send } from './file-changes.ts';
import { Digest, fetchedBytesMax, requireSize } from './file-digest.ts';
import type { FileReads } from './file-reads.ts';
import { deniedError, type FilePath, find, readListing, refusalOf, typeNames } from './find-file.ts';
import { isCallerAnswered } from './panel-call.ts';
import { answerWithin } from './server-api.ts';
import type { PanelSettings } from './settings.ts';

/** A download may only seem to have ended, so it may be read this often. The last read waits for the end of `pullWaitMs`. */
const readsMax = 3;

/** At this age, a temporary file belongs to no running fetch. */
const leftoverAgeMs = 60_000;
const deletedMax = 20;

export class FileFetches {
  readonly #reads: FileReads;
  readonly #changes: FileChanges;
  readonly #settings: PanelSettings;

  constructor(reads: FileReads, changes: FileChanges, settings: PanelSettings) {
    this.#reads = reads;
    this.#changes = changes;
    this.#settings = settings;
  }

  async fetch(filePath: FilePath, wanted: FileFetch, mayHaveHappened: boolean) {
    const looked = readListing({ ...filePath, path: directoryOf(filePath.path) });
    const { names, at } = await answerWithin(this.#settings.fileWaitMs, looked).catch(rethrowFor('read'));
    const found = at(filePath.path);
    requireReachable(found);
    const isFile = found.entry?.type === 'file';
    const mayBeDone = mayHaveHappened && isFile && (found.entry?.bytes ?? 0) <= fetchedBytesMax;
    const existing = mayBeDone ? await this.#digest(filePath).catch(rethrowFor('read')) : null;
    if (existing && !existing.mismatch(wanted)) return toResult(existing, !wanted.replace);
    if (found.entry && !(wanted.replace && isFile)) throw alreadyExists(typeNames[found.entry.type]);
    await this.#requireAllowed(filePath, isFile);
    await this.#count(filePath);
    const name = `.gamehost-${this.#settings.clock()}-${randomBytes(6).toString('hex')}`;
    const download = siblingOf(filePath, `${name}.new`);
    const old = found.entry && siblingOf(filePath, `${name}.old`);
    const toDelete = leftoversOf(names, this.#settings.clock()).map((leftover) =>
      siblingOf(filePath, leftover),
    );
    try {
      const digest = await this.#pull(download, wanted).catch(rethrowFor('pull'));
      // The caller already has an answer, so another write may have begun.
      if (isCallerAnswered(filePath.server))
        throw new PanelFailure('nodeTimedOut', { reason: 'the file was checked too late' });
      await this.#publish(download, filePath, old);
      if (old) toDelete.push(old);
      return toResult(digest, !old);
    } catch (failure) {
      toDelete.push(download);
      throw failure;
    } finally {
      // If this fails, the next fetch deletes the download. It never deletes the old file, which is the owner's.
      await answerWithin(this.#settings.fileWaitMs, this.#changes.delete(toDelete, true)).catch(() => {});
    }
  }

  /** Checks before the pull, because a node refuses to move or delete a download that the host denies. */
  async #requireAllowed(filePath: FilePath, isThere: boolean) {
    const isDenied = isThere ? this.#reads.isDenied(filePath) : this.#reads.isDeniedWhereMissing(filePath);
    if (await isDenied) throw deniedError('changed');
  }

  async #count({ server }: FilePath) {
    const { limiter, pullsPerCustomer } = this.#settings;
    const window = { name: 'pulls', seconds: 5 * minuteSeconds, max: pullsPerCustomer };
    const { fits, secondsLeft } = await limiter.consume(window, String(server.ownerId), 1);
    if (!fits) throw tooManyPulls(secondsLeft);
  }

  async #pull(download: FilePath, wanted: FileFetch): Promise<Digest> {
    const { pullWaitMs, pullPausesMs: pauses } = this.#settings;
    const endsAt = performance.now() + pullWaitMs;
    const unanswered = await answerWithin(pullWaitMs, sendPull(download, wanted.url)).catch(
      requireUnknownOutcome,
    );
    const progress = new DownloadProgress();
    for (let pauseMs = pauses.first; ; pauseMs = Math.min(2 * pauseMs, pauses.longest)) {
      const isLast = performance.now() >= endsAt;
      const looked = find(download).then(({ entry }) => progress.recordSize(entry?.bytes ?? null));
      await (isLast ? looked : looked.catch(ignorePanelFailure));
      if (progress.shouldRead(isLast)) {
        const read = progress.read(() => this.#digest(download));
        // A file that is still growing may be unreadable.
        await (isLast && progress.hasStoppedGrowing ? read : read.catch(ignorePanelFailure));
      }
      const { digest } = progress;
      const mismatch = digest?.mismatch(wanted);
      if (digest && !mismatch) return digest;
      if (mismatch && !unanswered && progress.hasEnded(pullWaitMs / 2)) throw badRequest(mismatch);
      if (isLast) throw lateFailure(progress, unanswered);
      await setTimeout(Math.min(pauseMs, endsAt - performance.now()));
    }
  }

  async #digest(filePath: FilePath): Promise<Digest> {
    const digest = new Digest(this.#settings.fetchWaitMs - this.#settings.pullWaitMs);
    await this.#reads.readBytes(filePath, digest);
    return digest;
  }

  async #publish(download: FilePath, filePath: FilePath, old: FilePath | null) {
    try {
      if (old) await this.#changes.rename(filePath, old);
      await this.#changes.rename(download, filePath);
    } catch (failure) {
      if (old) await this.#changes.rename(old, filePath).catch(reportLeftAt(old));
      throw failure;
    }
  }
}

class DownloadProgress {
  digest: Digest | null = null;
  bytes: number | null = null;
  hasStoppedGrowing = false;
  #changedAt = performance.now();
  #reads = 0;

  recordSize(bytes: number | null) {
    if (bytes !== null) requireSize(bytes);
    this.hasStoppedGrowing = bytes !== null && bytes === this.bytes;
    if (!this.hasStoppedGrowing) this.#changedAt = performance.now();
    this.bytes = bytes;
  }

  async read(read: () => Promise<Digest>) {
    this.#reads += 1;
    this.digest = await read();
  }

  shouldRead(isLast: boolean) {
    const isAllowed = this.#reads < (isLast ? readsMax : readsMax - 1);
    return (
      isAllowed &&
      this.bytes !== null &&
      (this.hasStoppedGrowing || isLast) &&
      this.digest?.bytes !== this.bytes
    );
  }

  /** No call reports the end. A source that is silent for `restMs` counts as ended, unless a ZIP archive shows its own end. */
  hasEnded(restMs: number) {
    if (!this.hasStoppedGrowing || this.digest?.bytes !== this.bytes) return false;
    return this.digest?.isWholeArchive() ?? performance.now() - this.#changedAt >= restMs;
  }
}

const toResult = (digest: Digest, isNew: boolean) => ({
  isNew,
  bytes: digest.bytes,
  sha256: digest.hex('sha256'),
});

const machine = 'The machine that hosts the server';

const nameOf = ({ path }: FilePath) => path.slice(path.lastIndexOf('/') + 1);

const siblingOf = (filePath: FilePath, name: string): FilePath => ({
  ...filePath,
  path: filePath.path.slice(0, filePath.path.lastIndexOf('/') + 1) + name,
});

/** Leaves out names that end in `.old`: those are the owner's files, which a fetch could not put back. */
function leftoversOf(names: readonly string[], now: number): string[] {
  const isLeftover = (name: string) => {
    const [isOurs, time] = /^\.gamehost-(\d+)-[0-9a-f]{12}\.new$/.exec(name) ?? [];
    return isOurs !== undefined && now - Number(time) > leftoverAgeMs;
  };
  return names.filter(isLeftover).slice(0, deletedMax);
}

/** A pull in the foreground would hold a worker of the panel until the node has the file. */
function sendPull(download: FilePath, url: string): Promise<null> {
  const name = { directory: directoryOf(download.path), filename: nameOf(download) };
  const json = { url, ...name, use_header: false, foreground: false };
  return send(download, { rest: 'files/pull', json }).then(() => null);
}

/** Ignored, because the node continues a download even while the panel cannot list or read it. */
function ignorePanelFailure(failure: unknown) {
  if (!(failure instanceof PanelFailure)) throw failure;
}

/** Returns a failure after which the node may fetch the file anyway. @throws any other failure of a pull */
function requireUnknownOutcome(failure: unknown): PanelFailure {
  if (!(failure instanceof PanelFailure)) throw failure;
  const { kind, details } = failure;
  if (kind === 'nodeTimedOut' || kind === 'connectionLost') return failure;
  if (kind !== 'node') throw failure;
  if (details.status === 504 || details.upstreamCode === 'ConnectionException') return failure;
  const refusal = refusalOf(failure);
  if (refusal === 'denied') throw deniedError('changed', failure);
  if (refusal !== 'refused') {
    // Pelican does not report why its node refused.
    const guess = ': its disk may be full, or three downloads to the server may be in progress';
    throw upstreamFailed(`${machine} could not fetch the file${refusal === 'unexplained' ? guess : ''}`, {
      cause: failure,
    });
  }
  throw /disk space/i.test(details.upstreamDetail ?? '')
    ? badRequest("The server's disk is full", failure)
    : new ApiError('rate_limited', tooManyDownloads, { cause: failure, retryAfterSeconds: slotRetrySeconds });
}

/** A node keeps a download slot until the source closes the connection: 19 minutes were seen, and the maximum is 12 hours. */
const slotRetrySeconds = 10 * minuteSeconds;

const tooManyDownloads =
  'Three downloads to this server are in progress, the maximum. A download whose source never ends continues until the source closes the connection';

function lateFailure({ bytes }: DownloadProgress, unanswered: PanelFailure | null) {
  if (bytes !== null)
    return upstreamFailed(
      `The file did not arrive completely in time: ${bytes} bytes arrived. The download keeps one of the server's three slots until its source closes it`,
      { retryAfterSeconds: slotRetrySeconds },
    );
  if (unanswered?.kind === 'connectionLost') return unanswered;
  const message = `${machine} did not fetch the file in time; check the address, or try again later`;
  return upstreamFailed(message, unanswered ? { cause: unanswered } : {});
}

const reportLeftAt = (old: FilePath) => (failure: unknown) => {
  // A conflict means that a file is at the path: the old one or the new one.
  if (failure instanceof ApiError && failure.apiCode === 'conflict') return;
  const message = `The replacement failed midway; the old file may be at ${old.path}`;
  throw upstreamFailed(message, { cause: failure, isOutcomeUnknown: true });
};
