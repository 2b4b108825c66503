/** The files of servers, over the client API; what is read is streamed, bounded and never kept. Paths have been judged. */
import { notFound } from '../../routers/errors.ts';
import { directoryOf } from '../../routers/file-path.ts';
import type { Attempt, FileWrite, LocatedServer, Panel } from '../../routers/panel-port.ts';
import { firstFiles, listDirectory, type Place } from './directory.ts';
import { rethrowFor } from './failures.ts';
import { FileChanges } from './file-changes.ts';
import { FileReads } from './file-reads.ts';
import { createFindFile, type FindFile, mayBeMissing } from './find-file.ts';
import type { PanelSettings } from './options.ts';
import { answerWithin, createWrite, type ServerApi } from './server-api.ts';

type Files = Pick<
  Panel,
  'listFiles' | 'readFile' | 'writeFile' | 'moveFile' | 'deleteFiles' | 'createDirectory' | 'getFileLink'
>;

export function createFiles(api: ServerApi, settings: PanelSettings): Files {
  const { find, findAll } = createFindFile(api);
  const reads = new FileReads({ api, find, settings });
  const changes = new FileChanges({ api, find, findAll, reads, settings });
  const write = createWrite(settings);
  const answer = <Value>(call: Promise<Value>) =>
    answerWithin(settings.fileWaitMs, call).catch(rethrowFor('read'));
  return {
    listFiles: (server, { directory, after }, requestId) =>
      answer(list(api, find, { place: toPlace(server, directory, requestId), after })),
    readFile: (server, { path, tail }, requestId) =>
      answer(reads.read(toPlace(server, path, requestId), tail)),
    getFileLink: (server, path, requestId) => answer(reads.link(toPlace(server, path, requestId))),
    writeFile: write(
      'fileWrite',
      ({ ifSha256 }) => (ifSha256 === undefined ? 2 : 3),
      (server, change: FileWrite, { requestId, isRepeated }: Attempt) =>
        changes.write(toPlace(server, change.path, requestId), change, isRepeated),
    ),
    moveFile: write('fileMove', 3, async (server, { from, to }, { requestId, isRepeated }) => {
      const target = toPlace(server, to, requestId);
      return changes.move(toPlace(server, from, requestId), target, isRepeated);
    }),
    deleteFiles: write(
      'fileDelete',
      // Each directory is looked at before and after.
      (paths) => 2 * new Set(paths.map(directoryOf)).size + 1,
      async (server, paths: readonly string[], { requestId, isRepeated }: Attempt) => {
        const places = paths.map((path) => toPlace(server, path, requestId));
        return changes.delete(places, isRepeated);
      },
    ),
    createDirectory: write('directory', 2, async (server, path: string, { requestId, isRepeated }) =>
      changes.createDirectory(toPlace(server, path, requestId), isRepeated),
    ),
  };
}

/** What stands in a list for bytes of a name that are not UTF-8: no path leads there. */
const replacement = '\ufffd';

/** @throws notFound for a path that is not UTF-8 on the node */
function toPlace(server: LocatedServer, path: string, requestId: string): Place {
  if (path.includes(replacement)) throw notFound('File');
  return { server, path, requestId };
}

interface Listing {
  place: Place;
  after: string | undefined;
}

/** @throws notFound for a directory that is none */
async function list(api: ServerApi, find: FindFile, { place, after }: Listing) {
  try {
    return firstFiles(await listDirectory(api, place), after);
  } catch (failure) {
    if (place.path === '/' || !mayBeMissing(failure)) throw failure;
    const { entry } = await find(place);
    throw entry?.type === 'directory' ? failure : notFound('Directory');
  }
}
