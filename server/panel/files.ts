/** The files of servers, over the client API; what is read is streamed, bounded and never kept. Paths have been judged. */
import { notFound } from '../../routers/errors.ts';
import type { LocatedServer, Panel } from '../../routers/panel-port.ts';
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
  const { find, findAll } = createFindFile(api);
  const reads = new FileReads({ api, find, settings });
  const changes = new FileChanges({ api, find, findAll, reads, settings });
  const answer = <Value>(call: Promise<Value>) =>
    answerWithin(settings.fileWaitMs, call).catch(rethrowFor('read'));
  return {
    listFiles: (server, { directory, after }, requestId) =>
      answer(list(api, find, { place: toPlace(server, directory, requestId), after })),
    readFile: (server, { path, tail }, requestId) =>
      answer(reads.read(toPlace(server, path, requestId), tail)),
    getFileLink: (server, path, requestId) => answer(reads.link(toPlace(server, path, requestId))),
    writeFile: (server, write, { requestId, isRepeated }) =>
      changes.write(toPlace(server, write.path, requestId), write, isRepeated),
    moveFile(server, { from, to }, { requestId, isRepeated }) {
      const target = toPlace(server, to, requestId);
      return changes.move(toPlace(server, from, requestId), target, isRepeated);
    },
    deleteFiles(server, paths, { requestId, isRepeated }) {
      const places = paths.map((path) => toPlace(server, path, requestId));
      return changes.delete(places, isRepeated);
    },
    createDirectory: (server, path, { requestId, isRepeated }) =>
      changes.createDirectory(toPlace(server, path, requestId), isRepeated),
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
  const first = new FirstEntries(after);
  try {
    await readDirectory(api, place, (entry) => first.add(entry));
    return first.list();
  } catch (failure) {
    if (place.path === '/' || !mayBeMissing(failure)) throw failure;
    const { entry } = await find(place);
    throw entry?.type === 'directory' ? failure : notFound('Directory');
  }
}
