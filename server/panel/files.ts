/** The files of servers, over the client API; what is read is streamed, bounded and never kept. Paths have been judged. */
import { notFound } from '../../routers/errors.ts';
import type { Panel } from '../../routers/panel-port.ts';
import { rethrowFor } from './failures.ts';
import { FileChanges } from './file-changes.ts';
import { FileFetches } from './file-fetch.ts';
import { FileReads } from './file-reads.ts';
import { listFiles, type Place } from './find-file.ts';
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
>;

export function createFiles(api: ServerApi, settings: PanelSettings): Files {
  const reads = new FileReads(settings);
  const changes = new FileChanges(reads, settings);
  const fetches = new FileFetches(reads, changes, settings);
  const write = createWrite(settings);
  const { fileWriteWaitMs: waitMs, fetchWaitMs } = settings;
  const toPlace = createToPlace(api);
  const answer = <Value>(call: Promise<Value>) =>
    answerWithin(settings.fileWaitMs, call).catch(rethrowFor('read'));
  return {
    listFiles: async (server, { directory, after }, requestId) =>
      answer(listFiles(toPlace(server, directory, requestId), after)),
    readFile: async (server, { path, tail }, requestId) =>
      answer(reads.read(toPlace(server, path, requestId), tail)),
    getFileLink: async (...call) => answer(reads.link(toPlace(...call))),
    writeFile: write('fileWrite', waitMs, async (server, change, { requestId, isRepeated }) =>
      changes.write(toPlace(server, change.path, requestId), change, isRepeated),
    ),
    fetchFile: write('fileFetch', fetchWaitMs, async (server, wanted, { requestId, isRepeated }) =>
      fetches.fetch(toPlace(server, wanted.path, requestId), wanted, isRepeated),
    ),
    moveFile: write('fileMove', waitMs, async (server, { from, to }, { requestId, isRepeated }) =>
      changes.move(toPlace(server, from, requestId), toPlace(server, to, requestId), isRepeated),
    ),
    deleteFiles: write('fileDelete', waitMs, async (server, paths, { requestId, isRepeated }) =>
      changes.delete(
        paths.map((path) => toPlace(server, path, requestId)),
        isRepeated,
      ),
    ),
    createDirectory: write('directory', waitMs, async (server, path, { requestId, isRepeated }) =>
      changes.createDirectory(toPlace(server, path, requestId), isRepeated),
    ),
  };
}

/** @throws notFound for a path that is not UTF-8 on the node: in lists U+FFFD stands for its bytes, and no path leads there */
const createToPlace =
  (api: ServerApi) =>
  (server: CalledServer, path: string, requestId: string): Place => {
    if (path.includes('\ufffd')) throw notFound('File');
    return { api, server, path, requestId };
  };
