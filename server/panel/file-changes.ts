/**
 * Changes of files: what must hold is looked at first, as the panel says little of why it refused, and nothing of a move or a
 * deletion of what is not there. A change is sent once.
 */
import { badRequest, conflict, notFound } from '../../routers/errors.ts';
import type { FileWrite } from '../../routers/panel-port.ts';
import type { Place } from './directory.ts';
import { PanelFailure, rethrowFor } from './failures.ts';
import type { FileReads } from './file-reads.ts';
import {
  type createFindFile,
  directoryOf,
  type Found,
  isAnswered,
  isDenied,
  isRefused,
  requireFile,
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
  /** Where something may stand in the way. */
  target: Place | null;
  /**
   * What must hold before: nothing is changed where it throws.
   * @param requireTime throws when its caller does not wait any more
   */
  check(requireTime: () => void): Promise<unknown>;
  send(): Promise<unknown>;
}

export class FileChanges {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async write(place: Place, { content: text, ifSha256 }: FileWrite): Promise<{ isNew: boolean }> {
    let isNew = false;
    await this.#change({
      ...{ request: 'fileWrite', target: null },
      check: async () => {
        isNew = await this.#requireUnchanged(place, ifSha256);
      },
      send: () => this.#send(place, { rest: `files/write?file=${encodeURIComponent(place.path)}`, text }),
    });
    return { isNew };
  }

  move(place: Place, to: string): Promise<void> {
    const target = { ...place, path: to };
    const json = { root: '/', files: [{ from: relative(place.path), to: relative(to) }] };
    return this.#change({
      ...{ request: 'fileMove', target },
      check: async () => {
        await this.#requireThere([place]);
        await this.#requireFree(target);
      },
      send: () => this.#send(place, { rest: 'files/rename', method: 'PUT', json }),
    });
  }

  /** @param places of one server */
  async delete(places: readonly Place[]): Promise<void> {
    const [first] = places;
    if (!first) return;
    const json = { root: '/', files: places.map(({ path }) => relative(path)) };
    await this.#change({
      ...{ request: 'fileDelete', target: null },
      check: async (requireTime) => {
        for (const together of byDirectory(places)) {
          requireTime();
          await this.#requireThere(together);
        }
      },
      send: () => this.#send(first, { rest: 'files/delete', json }),
    });
  }

  createDirectory(place: Place): Promise<void> {
    const json = { root: '/', name: relative(place.path) };
    return this.#change({
      ...{ request: 'directory', target: place },
      check: () => this.#requireFree(place),
      send: () => this.#send(place, { rest: 'files/create-folder', json }),
    });
  }

  #send({ server, requestId }: Place, call: { rest: string; text?: string; json?: object; method?: 'PUT' }) {
    return this.#deps.api.send({ ...call, server, requestId }, accepted);
  }

  async #change({ request, target, check, send }: Change): Promise<void> {
    const { fileWaitMs, fileWriteWaitMs } = this.#deps.settings;
    const startedAt = performance.now();
    const requireTime = () => {
      if (performance.now() - startedAt >= fileWaitMs)
        throw new PanelFailure('nodeTimedOut', { reason: 'the look took too long' });
    };
    await answerWithin(fileWaitMs, check(requireTime)).catch(rethrowFor('read'));
    const sent = send()
      .catch((failure: unknown) => this.#explain(failure, target))
      .catch(doubtSilentNode);
    const leftMs = fileWriteWaitMs - (performance.now() - startedAt);
    await answerWithin(leftMs, sent).catch(rethrowFor(request));
  }

  async #explain(failure: unknown, target: Place | null): Promise<never> {
    if (isDenied(failure)) throw badRequest('The host does not allow this file to be changed', failure);
    // Without an answer, what is there may have come by this very change.
    if (target && isAnswered(failure)) await this.#requireFree(target);
    throw isRefused(failure)
      ? badRequest('The machine refused it: its disk is full, or the path is too long', failure)
      : failure;
  }

  /** Whether the file is new. @throws conflict where it does not hold what it must */
  async #requireUnchanged(place: Place, ifSha256: string | null | undefined): Promise<boolean> {
    const found = await this.#deps.find(place);
    requireReachable(found);
    if (found.entry) requireFile(found);
    if (ifSha256 === null && found.entry) throw conflict('There is a file at this path already');
    if (typeof ifSha256 === 'string' && (!found.entry || (await this.#deps.reads.hash(place)) !== ifSha256))
      throw conflict('The file has changed or is gone: read it again');
    return found.entry === null;
  }

  /** @param places of one directory */
  async #requireThere(places: readonly [Place, ...Place[]]): Promise<void> {
    if (!(await this.#deps.hasAll(places))) throw notFound('File');
  }

  /** @throws conflict where something is there */
  async #requireFree(place: Place): Promise<void> {
    const found = await this.#deps.find(place);
    requireReachable(found);
    if (found.entry) throw conflict(`There is a ${found.entry.type} at this path already`);
  }
}

const accepted = expecting([204], 'Server', () => true);

/** As the panel takes paths beside `root`. */
const relative = (path: string) => path.slice(1);

function requireReachable({ through }: Found): void {
  if (through) throw badRequest(`The path leads through a ${through}`);
}

function byDirectory(places: readonly Place[]): Iterable<[Place, ...Place[]]> {
  const grouped = new Map<string, [Place, ...Place[]]>();
  for (const place of places) {
    const together = grouped.get(directoryOf(place.path));
    if (together) together.push(place);
    else grouped.set(directoryOf(place.path), [place]);
  }
  return grouped.values();
}

/** A node that fails midway, or does not answer, may have done it all the same. */
function doubtSilentNode(error: unknown): never {
  if (!(error instanceof PanelFailure) || error.kind !== 'node' || isAnswered(error)) throw error;
  throw new PanelFailure('nodeTimedOut', error.details);
}
