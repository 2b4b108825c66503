/**
 * Looks for a path in the lists of its parents, as what the panel says of a path that is not there looks like a node that
 * fails.
 */
import { badRequest, notFound } from '../../routers/errors.ts';
import { directoryOf } from '../../routers/file-path.ts';
import type { PanelFile } from '../../routers/panel-port.ts';
import { listDirectory, type Place, toFile } from './directory.ts';
import { PanelFailure } from './failures.ts';
import type { ServerApi } from './server-api.ts';

export interface Found {
  /** Null: nothing is there. */
  entry: PanelFile | null;
  /** Why nothing can be there: the path leads through one of these. */
  through: Exclude<PanelFile['type'], 'directory'> | null;
}

const root: PanelFile = {
  name: '/',
  type: 'directory',
  bytes: 0,
  mimeType: 'inode/directory',
  modifiedAt: new Date(0).toISOString(),
};

/** Why a deeper path cannot be listed is not looked for. */
const depthMax = 16;

export type FindFile = ReturnType<typeof createFindFile>['find'];

export const createFindFile = (api: ServerApi) => ({
  find: (place: Place) => find(api, place),
  /**
   * What is at these paths of one server, by one list of each directory that they are in.
   * @param requireTime throws when its caller does not wait any more
   */
  async findAll(places: readonly Place[], requireTime = () => {}): Promise<Map<Place, PanelFile>> {
    const entries = new Map<Place, PanelFile>();
    for (const [directory, one] of new Map(places.map((place) => [directoryOf(place.path), place]))) {
      requireTime();
      const foundAt = await look(api, { ...one, path: directory });
      for (const place of places.filter(({ path }) => directoryOf(path) === directory)) {
        const { entry } = foundAt(place.path);
        if (entry) entries.set(place, entry);
      }
    }
    return entries;
  },
});

async function find(api: ServerApi, place: Place): Promise<Found> {
  if (place.path === '/') return { entry: root, through: null };
  return (await look(api, { ...place, path: directoryOf(place.path) }))(place.path);
}

/** What the list of a directory says of each path in it. */
async function look(api: ServerApi, directory: Place): Promise<(path: string) => Found> {
  try {
    const listed = await listDirectory(api, directory);
    return (path) => {
      const entry = listed.find(({ name }) => name === path.slice(path.lastIndexOf('/') + 1));
      return { entry: entry ? toFile(entry) : null, through: null };
    };
  } catch (failure) {
    const through = await findCause(api, directory, failure);
    return () => ({ entry: null, through });
  }
}

/** Why a directory cannot be listed, by a look at its parent. @throws `failure` where it is there */
async function findCause(api: ServerApi, directory: Place, failure: unknown): Promise<Found['through']> {
  if (isMissing(failure)) return null;
  const { length: depth } = directory.path.split('/');
  if (directory.path === '/' || depth > depthMax || !mayBeMissing(failure)) throw failure;
  const { entry, through } = await find(api, directory);
  if (entry?.type === 'directory') throw failure;
  return through ?? entry?.type ?? null;
}

const ofNode = 'DaemonConnectionException';

/** The node's own word. */
export const isMissing = (failure: unknown): boolean =>
  failure instanceof PanelFailure &&
  (failure.details.upstreamCode === 'FileNotFoundException' || isStatusOfNode(failure, 404));

/** What nodes and panels also say of a path that is not there, or is no file. */
export const mayBeMissing = (failure: unknown): failure is PanelFailure =>
  failure instanceof PanelFailure && (failure.kind === 'node' || isMissing(failure));

/** What the node itself has refused: the name is taken, the path is too long, or the disk is full. */
export const isRefused = (failure: unknown): failure is PanelFailure =>
  failure instanceof PanelFailure &&
  (isStatusOfNode(failure, 400) ||
    ['FileExistsException', 'FileNotEditableException'].includes(failure.details.upstreamCode ?? ''));

/** The node has said no, whatever the reason, of which Pelican tells nothing: nothing will come of it later. */
export const isAnswered = (failure: unknown): boolean =>
  isRefused(failure) ||
  (failure instanceof PanelFailure &&
    (isUnexplained(failure) ||
      (failure.details.upstreamCode === ofNode && (failure.details.status ?? 0) < 500)));

/** Pelican's word for most of what a node refuses. */
export const isUnexplained = (failure: unknown): boolean =>
  failure instanceof PanelFailure && failure.details.upstreamCode === 'RequestException';

/** A file that the host has put on its list of those not to be changed. */
export const isDenied = (failure: unknown): failure is PanelFailure =>
  failure instanceof PanelFailure && isStatusOfNode(failure, 403);

export const denied = (what: 'read' | 'changed', cause?: unknown) =>
  badRequest(`The host does not allow this file to be ${what}`, cause);

const isStatusOfNode = ({ kind, details }: PanelFailure, status: number) =>
  kind === 'node' && details.status === status;

/** What is neither a file nor a directory, as a caller reads it. */
export const words = {
  file: 'file',
  directory: 'directory',
  link: 'link',
  other: 'pipe, device or socket',
} as const satisfies Record<PanelFile['type'], string>;

/** @throws notFound, and bad_request for what is no file */
export function requireFile({ entry, through }: Found): PanelFile {
  if (through === 'link' || entry?.type === 'link') throw badRequest('file is a link, or leads through one');
  if (!entry) throw notFound('File');
  if (entry.type !== 'file') throw badRequest(`file is a ${words[entry.type]}`);
  return entry;
}
