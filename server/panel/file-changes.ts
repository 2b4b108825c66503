/** Changes files. Preconditions are checked first, because the panel seldom says why it refuses a change. */
import { hash } from 'node:crypto';
import { alreadyExists, badRequest, fileChanged, notFound } from '../../routers/errors.ts';
import type { FileWrite, PanelFile } from '../../routers/panel-port.ts';
import { PanelFailure, rethrowFor } from './failures.ts';
import type { FileReads } from './file-reads.ts';
import {
  deniedError,
  type FilePath,
  type Found,
  find,
  findAll,
  refusalOf,
  requireFile,
  typeNames,
} from './find-file.ts';
import { expecting } from './panel-api.ts';
import { answerWithin } from './server-api.ts';
import type { PanelSettings } from './settings.ts';

interface Change {
  paths: readonly FilePath[];
  target?: FilePath;
  /**
   * Runs before the change. If it throws, nothing changes.
   * @param requireTime throws once the caller no longer waits
   * @returns whether the change has already happened
   */
  check(requireTime: () => void): Promise<boolean>;
  send(): Promise<unknown>;
}

export class FileChanges {
  readonly #reads: FileReads;
  readonly #settings: PanelSettings;

  constructor(reads: FileReads, settings: PanelSettings) {
    this.#reads = reads;
    this.#settings = settings;
  }

  async write(filePath: FilePath, { content, ifSha256 }: FileWrite, mayHaveHappened: boolean) {
    let isNew = false;
    await this.#change({
      paths: [filePath],
      check: async () => {
        const found = await find(filePath);
        requireReachable(found);
        const file = found.entry && requireFile(found);
        const isDone = mayHaveHappened && file !== null && (await this.#holds(filePath, file, content));
        isNew = isDone ? ifSha256 === null : file === null;
        if (!isDone) await this.#requireUnchanged(filePath, file, ifSha256);
        return isDone;
      },
      send: () =>
        send(filePath, { rest: `files/write?file=${encodeURIComponent(filePath.path)}`, text: content }),
    });
    return { isNew };
  }

  move(filePath: FilePath, target: FilePath, mayHaveHappened: boolean): Promise<void> {
    return this.rename(filePath, target, async () => {
      const isThere = (await find(filePath)).entry !== null;
      if (!isThere && mayHaveHappened && (await find(target)).entry) return true;
      if (!isThere) throw notFound('File');
      requireNothingThere(await find(target));
      return false;
    });
  }

  /** The node refuses to move a file to a path that is taken. */
  rename(filePath: FilePath, target: FilePath, check: Change['check'] = async () => false): Promise<void> {
    const json = { root: '/', files: [{ from: relative(filePath), to: relative(target) }] };
    return this.#change({
      paths: [filePath, target],
      target,
      check,
      send: () => send(filePath, { rest: 'files/rename', method: 'PUT', json }),
    });
  }

  async delete(filePaths: readonly FilePath[], mayHaveHappened: boolean): Promise<void> {
    let existing = new Map<FilePath, PanelFile>();
    await this.#change({
      paths: [],
      check: async (requireTime) => {
        existing = await findAll(filePaths, requireTime);
        if (!mayHaveHappened && existing.size < filePaths.length) throw notFound('File');
        return existing.size === 0;
      },
      send: () => sendDeletion(existing),
    });
  }

  createDirectory(filePath: FilePath, mayHaveHappened: boolean): Promise<void> {
    const json = { root: '/', name: relative(filePath) };
    return this.#change({
      paths: [filePath],
      target: filePath,
      check: async () => {
        const found = await find(filePath);
        const isDone = mayHaveHappened && found.entry?.type === 'directory';
        if (!isDone) requireNothingThere(found);
        return isDone;
      },
      send: () => send(filePath, { rest: 'files/create-folder', json }),
    });
  }

  async #change(change: Change): Promise<void> {
    const { fileWaitMs } = this.#settings;
    const startedAt = performance.now();
    const requireTime = () => {
      if (performance.now() - startedAt >= fileWaitMs)
        throw new PanelFailure('nodeTimedOut', { reason: 'the checks took too long' });
    };
    if (await answerWithin(fileWaitMs, change.check(requireTime)).catch(rethrowFor('read'))) return;
    await change
      .send()
      .catch((failure: unknown) => this.#explain(failure, change))
      .catch(markOutcomeUnknown);
  }

  async #explain(failure: unknown, { target, paths }: Change): Promise<never> {
    const refusal = refusalOf(failure);
    if (refusal === 'denied') throw deniedError('changed', failure);
    // Without a refusal by the node, an entry at the target may come from this very change.
    if (target && refusal) requireNothingThere(await find(target));
    if (refusal === 'unexplained')
      for (const place of paths) if (await this.#reads.isDenied(place)) throw deniedError('changed', failure);
    throw refusal === 'refused'
      ? badRequest(
          'The machine that hosts the server refused this: its disk is full, or the path is too long',
          failure,
        )
      : failure;
  }

  async #holds(filePath: FilePath, file: PanelFile, content: Buffer): Promise<boolean> {
    if (file.bytes !== content.length) return false;
    return (await this.#reads.readFingerprint(filePath, file)).sha256 === hash('sha256', content, 'hex');
  }

  async #requireUnchanged(filePath: FilePath, file: PanelFile | null, ifSha256: FileWrite['ifSha256']) {
    if (ifSha256 === null && file) throw alreadyExists('file');
    if (typeof ifSha256 !== 'string') return;
    const { sha256, encoding } = file ? await this.#reads.readFingerprint(filePath, file) : gone;
    if (sha256 !== ifSha256) throw fileChanged();
    if (encoding === 'lossy') throw badRequest(lossyMessage);
  }
}

const gone = { sha256: null, encoding: null };

const lossyMessage =
  'The file contains bytes that are not UTF-8, which its text does not show: writing it would lose them. Leave out if_sha256 to overwrite it';

export const send = (
  { api, server, requestId }: FilePath,
  call: { rest: string; text?: Buffer; json?: object; method?: 'PUT' },
) =>
  api.send(
    { ...call, server, requestId },
    expecting([204], 'Server', () => {}),
  );

/** Checks which files are left: panels also report success for files that the host does not allow to be deleted. */
async function sendDeletion(existing: ReadonlyMap<FilePath, PanelFile>): Promise<void> {
  const [first, ...others] = existing.keys();
  if (!first) return;
  const json = { root: '/', files: [first, ...others].map(relative) };
  const [sent] = await Promise.allSettled([send(first, { rest: 'files/delete', json })]);
  if (sent.status === 'rejected' && !refusalOf(sent.reason)) throw sent.reason;
  const left = await findAll([first, ...others]).catch(() => {
    throw new PanelFailure('nodeTimedOut', { reason: 'it is unknown which files a deletion has left' });
  });
  // A file whose time differs was written again meanwhile, such as a log.
  const isDenied = [...left].some(
    ([place, { type, modifiedAt }]) => type === 'directory' || modifiedAt === existing.get(place)?.modifiedAt,
  );
  if (!isDenied) return;
  if (sent.status === 'rejected') throw sent.reason;
  throw badRequest('The host does not allow some of these files to be deleted');
}

const relative = ({ path }: FilePath) => path.slice(1);

function requireNothingThere(found: Found): void {
  requireReachable(found);
  if (found.entry) throw alreadyExists(typeNames[found.entry.type]);
}

export function requireReachable({ through }: Found): void {
  if (through) throw badRequest(`The path leads through a ${typeNames[through]}`);
}

/** A node that fails midway or does not answer may have made the change anyway. */
function markOutcomeUnknown(error: unknown): never {
  if (!(error instanceof PanelFailure) || error.kind !== 'node' || refusalOf(error)) throw error;
  throw new PanelFailure('nodeTimedOut', error.details);
}
