/** The files of servers, over the client API. Reads are streamed, bounded and never cached. The caller has validated the paths. */
import { notFound } from '../../routers/errors.ts';
import type { Panel } from '../../routers/panel-port.ts';
import { rethrowFor } from './failures.ts';
import { FileChanges } from './file-changes.ts';
import { FileFetches } from './file-fetch.ts';
import { FileReads } from './file-reads.ts';
import { type FilePath, listFiles } from './find-file.ts';
import type { CalledServer } from './panel-call.ts';
import { answerWithin, createWrite, type ServerApi } from './server-api.ts';
import type { PanelSettings } from './settings.ts';

type Files = Pick<
  Panel,
  | 'listFiles'
  | 'readFile'
  | 'writeFile'
  | 'fetchFile'
  | 'moveFile'
  | 'deleteFiles'
  | 'createDirectory'
  | 'getFileLink'
  | 'createUploadLink'
>;

export function createFiles(api: ServerApi, settings: PanelSettings): Files {
  const reads = new FileReads(settings);
  const changes = new FileChanges(reads, settings);
  const fetches = new FileFetches(reads, changes, settings);
  const write = createWrite(settings);
  const { fileWriteWaitMs: waitMs, fetchWaitMs } = settings;
  const toFilePath = createToFilePath(api);
  const answer = <Value>(call: Promise<Value>) =>
    answerWithin(settings.fileWaitMs, call).catch(rethrowFor('read'));
  return {
    listFiles: async (server, { directory, after }, requestId) =>
      answer(listFiles(toFilePath(server, directory, requestId), after)),
    readFile: async (server, { path, tail }, requestId) =>
      answer(reads.read(toFilePath(server, path, requestId), tail)),
    getFileLink: async (...call) => answer(reads.link(toFilePath(...call))),
    // Not a write: the panel changes nothing, so that a failed call can be repeated like a read.
    createUploadLink: async (...call) => answer(reads.uploadLink(toFilePath(...call))),
    writeFile: write('fileWrite', waitMs, async (server, change, { requestId, mayHaveHappened }) =>
      changes.write(toFilePath(server, change.path, requestId), change, mayHaveHappened),
    ),
    fetchFile: write('fileFetch', fetchWaitMs, async (server, wanted, { requestId, mayHaveHappened }) =>
      fetches.fetch(toFilePath(server, wanted.path, requestId), wanted, mayHaveHappened),
    ),
    moveFile: write('fileMove', waitMs, async (server, { from, to }, { requestId, mayHaveHappened }) =>
      changes.move(toFilePath(server, from, requestId), toFilePath(server, to, requestId), mayHaveHappened),
    ),
    deleteFiles: write('fileDelete', waitMs, async (server, paths, { requestId, mayHaveHappened }) =>
      changes.delete(
        paths.map((path) => toFilePath(server, path, requestId)),
        mayHaveHappened,
      ),
    ),
    createDirectory: write('directory', waitMs, async (server, path, { requestId, mayHaveHappened }) =>
      changes.createDirectory(toFilePath(server, path, requestId), mayHaveHappened),
    ),
  };
}

/** @throws notFound for a path that is not UTF-8 on the node: lists show its bytes as U+FFFD, and no path reaches it */
const createToFilePath =
  (api: ServerApi) =>
  (server: CalledServer, path: string, requestId: string): FilePath => {
    if (path.includes('\ufffd')) throw notFound('File');
    return { api, server, path, requestId };
  };
