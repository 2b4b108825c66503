/**
 * Files that a server's machine gets from an address: under a name of their own in the same directory until their bytes have
 * the wanted hash, so that nothing unchecked ever has the wanted name.
 */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { minuteSeconds } from '../../models/support/durations.ts';
import { badRequest, conflict, tooManyPulls, upstreamFailed } from '../../routers/errors.ts';
import { directoryOf } from '../../routers/file-path.ts';
import type { FileFetch } from '../../routers/panel-port.ts';
import { PanelFailure, rethrowFor } from './failures.ts';
import { type FileChanges, requireReachable, send } from './file-changes.ts';
import type { FileReads } from './file-reads.ts';
import { find, look, type Place, refusalOf, words } from './find-file.ts';
import type { BodySink } from './node-download.ts';
import { answerWithin } from './server-api.ts';
import type { PanelSettings } from './settings.ts';

/** Of the panel, at most: to look, to pull, to look seven times, to read three times, to move and back, to delete. */
export const fetchCalls = 1 + 1 + 7 + 3 + 3 + 3;

const bytesMax = 128 * 1024 * 1024;

/** Between two looks for a file that is not there as it should be; doubled each time. */
const firstPauseMs = 500;

/** When no fetch uses a name any more. */
const namesEndMs = 60_000;
/** Of one fetch. */
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

  fetch(place: Place, wanted: FileFetch, isRepeated: boolean) {
    return answerWithin(this.#settings.fetchWaitMs, this.#fetch(place, wanted, isRepeated));
  }

  async #fetch(place: Place, wanted: FileFetch, isRepeated: boolean) {
    const giveUpAt = performance.now() + this.#settings.fetchWaitMs;
    const looked = look({ ...place, path: directoryOf(place.path) });
    const { names, at } = await answerWithin(this.#settings.fileWaitMs, looked).catch(rethrowFor('read'));
    const found = at(place.path);
    requireReachable(found);
    const isFile = found.entry?.type === 'file';
    const mayBeDone = isRepeated && isFile && (found.entry?.bytes ?? 0) <= bytesMax;
    const there = mayBeDone ? await this.#digest(place).catch(rethrowFor('read')) : null;
    if (there && !there.mismatch(wanted)) return present(there, !wanted.replace);
    if (found.entry && !(wanted.replace && isFile))
      throw conflict(`There is a ${words[found.entry.type]} at this path already`);
    await this.#count(place);
    const name = `.gamehost-${this.#settings.clock()}-${randomBytes(6).toString('hex')}`;
    const fresh = beside(place, `${name}.new`);
    const old = found.entry && beside(place, `${name}.old-${nameOf(place)}`);
    const surplus = leftoversOf(names, this.#settings.clock()).map((leftover) => beside(place, leftover));
    try {
      const digest = await this.#pull(fresh, wanted).catch(rethrowFor('pull'));
      // Its caller was answered by then, and another may write.
      if (performance.now() >= giveUpAt)
        throw new PanelFailure('nodeTimedOut', { reason: 'the file was checked too late' });
      await this.#publish(fresh, place, old);
      if (old) surplus.push(old);
      return present(digest, !old);
    } catch (failure) {
      surplus.push(fresh);
      throw failure;
    } finally {
      // The next fetch deletes what cannot be deleted now.
      await answerWithin(this.#settings.fileWaitMs, this.#changes.delete(surplus, true)).catch(() => {});
    }
  }

  async #count({ server }: Place) {
    const { limiter, pullsPerCustomer } = this.#settings;
    const window = { name: 'pulls', seconds: 5 * minuteSeconds, max: pullsPerCustomer };
    const { fits, secondsLeft } = await limiter.consume(window, String(server.ownerId), 1);
    if (!fits) throw tooManyPulls(secondsLeft);
  }

  /** @throws {PanelFailure}, upstreamFailed, and bad_request where the node has got another file */
  async #pull(fresh: Place, wanted: FileFetch): Promise<Digest> {
    const { pullWaitMs } = this.#settings;
    const endsAt = performance.now() + pullWaitMs;
    const name = { directory: directoryOf(fresh.path), filename: nameOf(fresh) };
    const json = { url: wanted.url, ...name, use_header: false, foreground: true };
    const pulled = answerWithin(pullWaitMs, send(fresh, { rest: 'files/pull', json }));
    const isDone = await pulled.then(() => true, requireSilence);
    let bytesBefore: number | null = null;
    let digest: Digest | null = null;
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      const isLast = performance.now() >= endsAt;
      const bytes = (await find(fresh)).entry?.bytes ?? null;
      if (bytes !== null && bytes > bytesMax) throw tooLarge();
      const isStill = bytes !== null && bytes === bytesBefore;
      // A node writes a file bit by bit.
      if (bytes !== null && (isDone || isStill || isLast) && digest?.bytes !== bytes)
        digest = await this.#digest(fresh);
      const mismatch = digest?.mismatch(wanted);
      if (digest && !mismatch) return digest;
      if (mismatch && isStill && (isDone || isLast)) throw badRequest(mismatch);
      if (isLast) throw upstreamFailed(`${machine} did not fetch the file in time; try again later`);
      bytesBefore = bytes;
      await setTimeout(Math.min(pauseMs, endsAt - performance.now()));
    }
  }

  async #digest(place: Place): Promise<Digest> {
    const digest = new Digest(this.#settings.fetchWaitMs - this.#settings.pullWaitMs);
    await this.#reads.readBytes(place, digest);
    return digest;
  }

  /** @param old where what has the path goes meanwhile */
  async #publish(fresh: Place, place: Place, old: Place | null) {
    try {
      if (old) await this.#changes.rename(place, old);
      await this.#changes.rename(fresh, place);
    } catch (failure) {
      if (old) await this.#changes.rename(old, place).catch(doubtPlaceOf(old));
      throw failure;
    }
  }
}

/** All that is in a file, as it comes. */
class Digest implements BodySink {
  readonly timeoutMs: number;
  readonly #hashes = { sha256: createHash('sha256'), sha512: createHash('sha512') };
  bytes = 0;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  begin() {}

  write(chunk: Buffer) {
    this.bytes += chunk.length;
    for (const hash of Object.values(this.#hashes)) hash.update(chunk);
    if (this.bytes > bytesMax) throw tooLarge();
    return true;
  }

  hex = (algorithm: 'sha256' | 'sha512') => this.#hashes[algorithm].copy().digest('hex');

  /** Null where the file is the wanted one. */
  mismatch(wanted: FileFetch): string | null {
    const algorithm = wanted.sha256 === undefined ? 'sha512' : 'sha256';
    const found = this.hex(algorithm);
    return found === wanted[algorithm] ? null : `The file at url has another ${algorithm}: ${found}`;
  }
}

const present = (digest: Digest, isNew: boolean) => ({
  isNew,
  bytes: digest.bytes,
  sha256: digest.hex('sha256'),
});

const machine = 'The machine that hosts the server';

const tooLarge = () => badRequest('The file is larger than 128 MiB, which is the most that is fetched');

const nameOf = ({ path }: Place) => path.slice(path.lastIndexOf('/') + 1);

const beside = (place: Place, name: string): Place => ({
  ...place,
  path: place.path.slice(0, place.path.lastIndexOf('/') + 1) + name,
});

/** A file that was set aside and not put back is its owner's. */
function leftoversOf(names: readonly string[], now: number): string[] {
  const all = new Set(names);
  const isLeftover = (name: string) => {
    const [isOurs, time, aside] = /^\.gamehost-(\d+)-[0-9a-f]{12}\.(?:new|old-(.+))$/.exec(name) ?? [];
    return isOurs && now - Number(time) > namesEndMs && (aside === undefined || all.has(aside));
  };
  return names.filter(isLeftover).slice(0, deletedMax);
}

/** Without an answer the node may go on: panels give up after 15 seconds. @throws for any other failure of a pull */
function requireSilence(failure: unknown): false {
  if (!(failure instanceof PanelFailure)) throw failure;
  const { kind, details } = failure;
  if (kind === 'nodeTimedOut' || kind === 'connectionLost') return false;
  if (kind !== 'node') throw failure;
  if (details.status === 504 || details.upstreamCode === 'ConnectionException') return false;
  // Nodes refuse so what is more than three at once of a server.
  if (refusalOf(failure) === 'refused') throw new PanelFailure('serverThrottled', details, busyMs);
  throw upstreamFailed(`${machine} could not fetch the file`, { cause: failure });
}

const busyMs = 20_000;

const doubtPlaceOf = (old: Place) => (failure: unknown) => {
  if (!(failure instanceof PanelFailure)) return;
  const message = `${machine} failed midway; the file that was there may be at ${old.path}`;
  throw upstreamFailed(message, { cause: failure, isOutcomeUnknown: true });
};
