/**
 * Looks for a path in the lists of its parents, as what the panel says of a path that is not there looks like a node that
 * fails.
 */
import { badRequest, notFound } from '../../routers/errors.ts';
import type { PanelFile } from '../../routers/panel-port.ts';
import { type Place, readDirectory, toFile } from './directory.ts';
import { PanelFailure } from './failures.ts';
import type { ServerApi } from './server-api.ts';

export interface Found {
  /** Null: nothing is there. */
  entry: PanelFile | null;
  /** Why nothing can be there: the path leads through one of these. */
  through: 'file' | 'link' | null;
}

const nothing: Found = { entry: null, through: null };

const root: PanelFile = {
  ...{ name: '/', type: 'directory', bytes: 0, mimeType: 'inode/directory' },
  modifiedAt: new Date(0).toISOString(),
};

/** Lists for one path; what lies deeper is asked for in vain. */
const looksMax = 16;

export type FindFile = ReturnType<typeof createFindFile>['find'];

export function createFindFile(api: ServerApi) {
  /** From the root down, until something is missing. @throws `failure` where nothing is */
  async function findCause(place: Place, failure: PanelFailure): Promise<Found> {
    const names = place.path.split('/').slice(1);
    for (let depth = 0; depth < Math.min(names.length, looksMax); depth += 1) {
      const path = `/${names.slice(0, depth).join('/')}`;
      const [entry] = (await findIn(api, { ...place, path }, names.slice(depth, depth + 1))).values();
      if (!entry) return nothing;
      if (entry.type !== 'directory') return { entry: null, through: entry.type };
    }
    throw failure;
  }

  async function findEach(place: Place, directory: string, names: readonly string[]): Promise<Found[]> {
    try {
      const found = await findIn(api, { ...place, path: directory }, names);
      return names.map((name) => ({ entry: found.get(name) ?? null, through: null }));
    } catch (failure) {
      if (isMissing(failure)) return [nothing];
      if (directory === '/' || !mayBeMissing(failure)) throw failure;
      return [await findCause({ ...place, path: directory }, failure)];
    }
  }

  return {
    async find(place: Place): Promise<Found> {
      if (place.path === '/') return { entry: root, through: null };
      const [found = nothing] = await findEach(place, directoryOf(place.path), [nameOf(place.path)]);
      return found;
    },
    /** Whether something is at each of these paths of one directory, by one list of it. */
    async hasAll(places: readonly [Place, ...Place[]]): Promise<boolean> {
      const names = places.map(({ path }) => nameOf(path));
      const found = await findEach(places[0], directoryOf(places[0].path), names);
      return found.every(({ entry }) => entry !== null);
    },
  };
}

/** By one list of the directory. */
async function findIn(api: ServerApi, directory: Place, names: readonly string[]) {
  const found = new Map<string, PanelFile>();
  await readDirectory(api, directory, (entry) => {
    if (names.includes(entry.name)) found.set(entry.name, toFile(entry));
  });
  return found;
}

export const directoryOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/';

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

const ofNode = 'DaemonConnectionException';

/** The node's own word. */
const isMissing = (failure: unknown): boolean =>
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
    (failure.details.upstreamCode === 'RequestException' ||
      (failure.details.upstreamCode === ofNode && (failure.details.status ?? 0) < 500)));

/** A file that the host has put on its list of those not to be changed. */
export const isDenied = (failure: unknown): failure is PanelFailure =>
  failure instanceof PanelFailure && isStatusOfNode(failure, 403);

const isStatusOfNode = ({ details }: PanelFailure, status: number) =>
  details.upstreamCode === ofNode && details.status === status;

/** @throws notFound, and bad_request for what is no file */
export function requireFile({ entry, through }: Found): PanelFile {
  if (through === 'link' || entry?.type === 'link') throw badRequest('file is a link, or leads through one');
  if (!entry) throw notFound('File');
  if (entry.type === 'directory') throw badRequest('file is a directory');
  return entry;
}
