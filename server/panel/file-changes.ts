/**
 * Changes of files: what must hold is looked at first, as the panel says little of why it refused, and nothing of a move or a
 * deletion of what is not there. A change is sent once.
 */
import { hash } from 'node:crypto';
import { badRequest, conflict, notFound } from '../../routers/errors.ts';
import type { FileWrite, PanelFile } from '../../routers/panel-port.ts';
import type { Place } from './directory.ts';
import { PanelFailure, rethrowFor } from './failures.ts';
import type { FileReads } from './file-reads.ts';
import {
  type createFindFile,
  denied,
  type Found,
  isAnswered,
  isDenied,
  isRefused,
  isUnexplained,
  requireFile,
  words,
} from './find-file.ts';
import type { PanelSettings } from './options.ts';
import { expecting } from './panel-api.ts';
import { answerWithin, type ServerApi } from './server-api.ts';

interface Deps extends ReturnType<typeof createFindFile> {
  api: ServerApi;
  reads: FileReads;
  settings: PanelSettings;
}

interface Change {
  request: 'fileWrite' | 'fileMove' | 'fileDelete' | 'directory';
  /** What a list of files denied by the host may name. */
  places: readonly Place[];
  /** Where something may stand in the way. */
  target?: Place;
  /**
   * What must hold before: nothing is changed where it throws.
   * @param requireTime throws when its caller does not wait any more
   * @returns whether it is done already
   */
  check(requireTime: () => void): Promise<boolean>;
  send(): Promise<unknown>;
}

export class FileChanges {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async write(
    place: Place,
    { content, ifSha256 }: FileWrite,
    isRepeated: boolean,
  ): Promise<{ isNew: boolean }> {
    let isNew = false;
    await this.#change({
      ...{ request: 'fileWrite', places: [place] },
      check: async () => {
        const found = await this.#deps.find(place);
        requireReachable(found);
        const file = found.entry && requireFile(found);
        const isDone = isRepeated && file !== null && (await this.#holds(place, file, content));
        isNew = isDone ? ifSha256 === null : file === null;
        if (!isDone) await this.#requireUnchanged(place, file, ifSha256);
        return isDone;
      },
      send: () =>
        this.#send(place, { rest: `files/write?file=${encodeURIComponent(place.path)}`, text: content }),
    });
    return { isNew };
  }

  move(place: Place, target: Place, isRepeated: boolean): Promise<void> {
    const json = { root: '/', files: [{ from: relative(place.path), to: relative(target.path) }] };
    return this.#change({
      ...{ request: 'fileMove', places: [place, target], target },
      check: async () => {
        const isThere = (await this.#deps.find(place)).entry !== null;
        if (!isThere && isRepeated && (await this.#deps.find(target)).entry) return true;
        if (!isThere) throw notFound('File');
        await this.#requireFree(target);
        return false;
      },
      send: () => this.#send(place, { rest: 'files/rename', method: 'PUT', json }),
    });
  }

  /** @param places of one server */
  async delete(places: readonly Place[], isRepeated: boolean): Promise<void> {
    let there = new Map<Place, PanelFile>();
    await this.#change({
      ...{ request: 'fileDelete', places: [] },
      check: async (requireTime) => {
        there = await this.#deps.findAll(places, requireTime);
        if (!isRepeated && there.size < places.length) throw notFound('File');
        return there.size === 0;
      },
      send: () => this.#sendDeletion(there),
    });
  }

  /** What it leaves is looked for, as panels also say that they have deleted what the host does not allow to. */
  async #sendDeletion(there: ReadonlyMap<Place, PanelFile>): Promise<void> {
    const [first, ...others] = there.keys();
    if (!first) return;
    const json = { root: '/', files: [first, ...others].map(({ path }) => relative(path)) };
    const [sent] = await Promise.allSettled([this.#send(first, { rest: 'files/delete', json })]);
    if (sent.status === 'rejected' && !isAnswered(sent.reason)) throw sent.reason;
    const left = await this.#deps.findAll([first, ...others]).catch(() => {
      throw new PanelFailure('nodeTimedOut', { reason: 'what a deletion has left is not known' });
    });
    // What has another time was written again since then, as a log is.
    const isDenied = [...left].some(
      ([place, { type, modifiedAt }]) => type === 'directory' || modifiedAt === there.get(place)?.modifiedAt,
    );
    if (!isDenied) return;
    if (sent.status === 'rejected') throw sent.reason;
    throw badRequest('The host does not allow all of it to be deleted');
  }

  createDirectory(place: Place, isRepeated: boolean): Promise<void> {
    const json = { root: '/', name: relative(place.path) };
    return this.#change({
      ...{ request: 'directory', places: [place], target: place },
      check: async () => {
        const found = await this.#deps.find(place);
        const isDone = isRepeated && found.entry?.type === 'directory';
        if (!isDone) requireFree(found);
        return isDone;
      },
      send: () => this.#send(place, { rest: 'files/create-folder', json }),
    });
  }

  #send({ server, requestId }: Place, call: { rest: string; text?: Buffer; json?: object; method?: 'PUT' }) {
    return this.#deps.api.send({ ...call, server, requestId }, accepted);
  }

  async #change(change: Change): Promise<void> {
    const { fileWaitMs, fileWriteWaitMs } = this.#deps.settings;
    const startedAt = performance.now();
    const requireTime = () => {
      if (performance.now() - startedAt >= fileWaitMs)
        throw new PanelFailure('nodeTimedOut', { reason: 'the look took too long' });
    };
    if (await answerWithin(fileWaitMs, change.check(requireTime)).catch(rethrowFor('read'))) return;
    const sent = change
      .send()
      .catch((failure: unknown) => this.#explain(failure, change))
      .catch(doubtSilentNode);
    const leftMs = fileWriteWaitMs - (performance.now() - startedAt);
    await answerWithin(leftMs, sent).catch(rethrowFor(change.request));
  }

  async #explain(failure: unknown, { target, places }: Change): Promise<never> {
    if (isDenied(failure)) throw denied('changed', failure);
    // Without an answer, what is there may have come by this very change.
    if (target && isAnswered(failure)) await this.#requireFree(target);
    if (isUnexplained(failure))
      for (const place of places)
        if (await this.#deps.reads.isDenied(place)) throw denied('changed', failure);
    throw isRefused(failure)
      ? badRequest('The machine refused it: its disk is full, or the path is too long', failure)
      : failure;
  }

  async #holds(place: Place, file: PanelFile, content: Buffer): Promise<boolean> {
    if (file.bytes !== content.length) return false;
    return (await this.#deps.reads.compare(place, file)).sha256 === hash('sha256', content, 'hex');
  }

  /** @throws conflict where it does not hold what it must */
  async #requireUnchanged(place: Place, file: PanelFile | null, ifSha256: FileWrite['ifSha256']) {
    if (ifSha256 === null && file) throw conflict('There is a file at this path already');
    if (typeof ifSha256 !== 'string') return;
    const { sha256, encoding } = file ? await this.#deps.reads.compare(place, file) : gone;
    if (sha256 !== ifSha256) throw conflict('The file has changed or is gone: read it again');
    if (encoding === 'lossy') throw badRequest(lossyMessage);
  }

  /** @throws conflict where something is there */
  async #requireFree(place: Place): Promise<void> {
    requireFree(await this.#deps.find(place));
  }
}

const gone = { sha256: null, encoding: null };

const lossyMessage =
  'The file holds bytes that are not UTF-8, which its text does not show: writing it would lose them. Without if_sha256 it is overwritten';

function requireFree(found: Found): void {
  requireReachable(found);
  if (found.entry) throw conflict(`There is a ${words[found.entry.type]} at this path already`);
}

const accepted = expecting([204], 'Server', () => true);

/** As the panel takes paths beside `root`. */
const relative = (path: string) => path.slice(1);

function requireReachable({ through }: Found): void {
  if (through) throw badRequest(`The path leads through a ${words[through]}`);
}

/** A node that fails midway, or does not answer, may have done it all the same. */
function doubtSilentNode(error: unknown): never {
  if (!(error instanceof PanelFailure) || error.kind !== 'node' || isAnswered(error)) throw error;
  throw new PanelFailure('nodeTimedOut', error.details);
}
