/**
 * Looks for a path in the lists of its parents, as what the panel says of a path that is not there looks like a node that
 * fails.
 */
import { badRequest, notFound } from '../../routers/errors.ts';
import { directoryOf } from '../../routers/file-path.ts';
import type { PanelFile } from '../../routers/panel-port.ts';
import { type Place, readDirectory, toFile } from './directory.ts';
import { PanelFailure } from './failures.ts';
import type { ServerApi } from './server-api.ts';

export interface Found {
  /** Null: nothing is there. */
  entry: PanelFile | null;
  /** Why nothing can be there: the path leads through one of these. */
  through: Exclude<PanelFile['type'], 'directory'> | null;
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
  /** @param places of that directory */
  async function findEach(directory: string, places: readonly [Place, ...Place[]]): Promise<Found[]> {
    const inDirectory = { ...places[0], path: directory };
    const names = places.map(({ path }) => nameOf(path));
    try {
      const found = await findIn(api, inDirectory, names);
      return names.map((name) => ({ entry: found.get(name) ?? null, through: null }));
    } catch (failure) {
      if (isMissing(failure)) return names.map(() => nothing);
      if (directory === '/' || !mayBeMissing(failure)) throw failure;
      const cause = await findCause(api, inDirectory, failure);
      return names.map(() => cause);
    }
  }

  return {
    async find(place: Place): Promise<Found> {
      if (place.path === '/') return { entry: root, through: null };
      const [found = nothing] = await findEach(directoryOf(place.path), [place]);
      return found;
    },
    /**
     * What is at these paths of one server, by one list of each directory that they are in.
     * @param requireTime throws when its caller does not wait any more
     */
    async findAll(places: readonly Place[], requireTime = () => {}): Promise<Map<Place, PanelFile>> {
      const entries = new Map<Place, PanelFile>();
      for (const [directory, together] of byDirectory(places)) {
        requireTime();
        const found = await findEach(directory, together);
        for (const [index, place] of together.entries()) {
          const entry = found[index]?.entry;
          if (entry) entries.set(place, entry);
        }
      }
      return entries;
    },
  };
}

/** From the root down, until something is missing. @throws `failure` where nothing is */
async function findCause(api: ServerApi, place: Place, failure: PanelFailure): Promise<Found> {
  const names = place.path.split('/').slice(1);
  for (let depth = 0; depth < Math.min(names.length, looksMax); depth += 1) {
    const path = `/${names.slice(0, depth).join('/')}`;
    const [entry] = (await findIn(api, { ...place, path }, names.slice(depth, depth + 1))).values();
    if (!entry) return nothing;
    if (entry.type !== 'directory') return { entry: null, through: entry.type };
  }
  throw failure;
}

function byDirectory(places: readonly Place[]): Map<string, [Place, ...Place[]]> {
  const grouped = new Map<string, [Place, ...Place[]]>();
  for (const place of places) {
    const together = grouped.get(directoryOf(place.path));
    if (together) together.push(place);
    else grouped.set(directoryOf(place.path), [place]);
  }
  return grouped;
}

/** By one list of the directory. */
async function findIn(api: ServerApi, directory: Place, names: readonly string[]) {
  const found = new Map<string, PanelFile>();
  await readDirectory(api, directory, (entry) => {
    if (names.includes(entry.name)) found.set(entry.name, toFile(entry));
  });
  return found;
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

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
