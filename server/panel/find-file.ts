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

export type FindFile = ReturnType<typeof createFindFile>;

export function createFindFile(api: ServerApi) {
  async function findIn(place: Place, name: string): Promise<PanelFile | null> {
    const found: PanelFile[] = [];
    await readDirectory(api, place, (entry) => {
      if (entry.name === name) found.push(toFile(entry));
    });
    return found[0] ?? null;
  }

  /** From the root down, until something is missing. @throws `failure` where nothing is */
  async function findCause(place: Place, failure: PanelFailure): Promise<Found> {
    const names = place.path.split('/').slice(1);
    for (let depth = 0; depth < Math.min(names.length, looksMax); depth += 1) {
      const path = `/${names.slice(0, depth).join('/')}`;
      const entry = await findIn({ ...place, path }, names[depth] ?? '');
      if (!entry) return nothing;
      if (entry.type !== 'directory') return { entry: null, through: entry.type };
    }
    throw failure;
  }

  return async function find(place: Place): Promise<Found> {
    if (place.path === '/') return { entry: root, through: null };
    const { directory, name } = splitPath(place.path);
    try {
      return { entry: await findIn({ ...place, path: directory }, name), through: null };
    } catch (failure) {
      if (isMissing(failure)) return nothing;
      if (directory === '/' || !mayBeMissing(failure)) throw failure;
      return findCause({ ...place, path: directory }, failure);
    }
  };
}

function splitPath(path: string) {
  const at = path.lastIndexOf('/');
  return { directory: path.slice(0, at) || '/', name: path.slice(at + 1) };
}

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
