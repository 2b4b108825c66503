/** The files of servers, over the client API; what is read is streamed, bounded and never kept. Paths have been judged. */
import { notFound } from '../../routers/errors.ts';
import type { Panel } from '../../routers/panel-port.ts';
import { FirstEntries, type Place, readDirectory } from './directory.ts';
import { rethrowFor } from './failures.ts';
import { FileChanges } from './file-changes.ts';
import { FileReads } from './file-reads.ts';
import { createFindFile, type FindFile, mayBeMissing } from './find-file.ts';
import type { PanelSettings } from './options.ts';
import { answerWithin, type ServerApi } from './server-api.ts';

type Files = Pick<
  Panel,
  'listFiles' | 'readFile' | 'writeFile' | 'moveFile' | 'deleteFiles' | 'createDirectory' | 'getFileLink'
>;

export function createFiles(api: ServerApi, settings: PanelSettings): Files {
  const { find, hasAll } = createFindFile(api);
  const reads = new FileReads({ api, find, settings });
  const changes = new FileChanges({ api, find, hasAll, reads, settings });
  const answer = <Value>(call: Promise<Value>) =>
    answerWithin(settings.fileWaitMs, call).catch(rethrowFor('read'));
  return {
    listFiles: (server, path, requestId) => answer(list(api, find, { server, path, requestId })),
    readFile: (server, { path, tail }, requestId) => {
      const place = { server, path, requestId };
      return answer(tail === undefined ? reads.beginning(place) : reads.end(place, tail));
    },
    getFileLink: (server, path, requestId) => answer(reads.link({ server, path, requestId })),
    writeFile: (server, write, requestId) => changes.write({ server, path: write.path, requestId }, write),
    moveFile: (server, { from, to }, requestId) => changes.move({ server, path: from, requestId }, to),
    deleteFiles: (server, paths, requestId) =>
      changes.delete(paths.map((path) => ({ server, path, requestId }))),
    createDirectory: (server, path, requestId) => changes.createDirectory({ server, path, requestId }),
  };
}

/** @throws notFound for a directory that is none */
async function list(api: ServerApi, find: FindFile, place: Place) {
  const first = new FirstEntries();
  try {
    await readDirectory(api, place, (entry) => first.add(entry));
    return first.list();
  } catch (failure) {
    if (place.path === '/' || !mayBeMissing(failure)) throw failure;
    const { entry } = await find(place);
    throw entry?.type === 'directory' ? failure : notFound('Directory');
  }
}
