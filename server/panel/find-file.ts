/** Finds paths in the lists of their directories: the panel's response for a missing path looks like a failing node. */
import { z } from 'zod';
import { badRequest, notFound } from '../../routers/errors.ts';
import { directoryOf } from '../../routers/files/path.ts';
import type { PanelFile, PanelFileList } from '../../routers/panel-port.ts';
import { PanelFailure } from './failures.ts';
import { expecting, panelTime, parseBody } from './panel-api.ts';
import type { CalledServer } from './panel-call.ts';
import type { ServerApi } from './server-api.ts';

export interface FilePath {
  api: ServerApi;
  server: CalledServer;
  path: string;
  requestId: string;
}

export interface Found {
  entry: PanelFile | null;
  /** The type of an entry through which the path leads, so that nothing can exist there. Null: only directories. */
  through: Exclude<PanelFile['type'], 'directory'> | null;
}

const shownMax = 1_000;
/** No file system allows a longer name. */
const nameLengthMax = 1_024;
/** The deepest path for which this service finds out why it cannot be listed. */
const depthMax = 16;

const Name = z
  .string()
  .min(1)
  .max(nameLengthMax)
  .overwrite((name) => name.toWellFormed());

/** Fields other than the name are parsed only for entries that are shown: parsing them for all would take most of the time. */
const List = z.object({ data: z.array(z.object({ attributes: z.looseObject({ name: Name }) })) });

type Listed = z.infer<typeof List>['data'][number]['attributes'];

const Entry = z.object({
  name: z.string(),
  size: z.number().catch(0),
  is_file: z.boolean(),
  mimetype: z.string().max(255).catch('application/octet-stream'),
  modified_at: panelTime,
});

async function listDirectory({ api, server, path, requestId }: FilePath): Promise<Listed[]> {
  return api.send(
    { server, rest: `files/list?directory=${encodeURIComponent(path)}`, requestId },
    expecting([200], 'Server', (body) => parseBody(List, body).data.map(({ attributes }) => attributes)),
  );
}

/** Matches Go's file modes except those of files, directories and links. The flags u, g, t, a and T do not change the type. */
const special = /[^-dugtaTlL]/;

/** Some nodes show a link only in its mode, and report everything else that is not a directory as a file. */
function typeOf({ mode, is_symlink, is_file }: Listed): PanelFile['type'] {
  const kind = String(mode ?? '').slice(0, -'rwxrwxrwx'.length);
  if (is_symlink === true || /^l/i.test(kind)) return 'link';
  if (special.test(kind)) return 'other';
  return is_file === true ? 'file' : 'directory';
}

function toFile(listed: Listed): PanelFile {
  const { name, size: bytes, mimetype: mimeType, modified_at: modifiedAt } = parseBody(Entry, listed);
  return { name, type: typeOf(listed), bytes, mimeType, modifiedAt };
}

/** A node lists all entries in no particular order. Here, directories come first. @throws notFound, bad_request for an unknown `after` */
export async function listFiles(filePath: FilePath, after?: string): Promise<PanelFileList> {
  const listed = await listDirectory(filePath).catch(async (failure: unknown) => {
    if (filePath.path === '/' || !mayBeMissing(failure)) throw failure;
    const { entry } = await find(filePath);
    throw entry?.type === 'directory' ? failure : notFound('Directory');
  });
  const ranked = listed.map((entry) => ({ entry, rank: typeOf(entry) === 'directory' ? 0 : 1 }));
  ranked.sort((one, other) => one.rank - other.rank || (one.entry.name < other.entry.name ? -1 : 1));
  const last = ranked.findIndex(({ entry }) => entry.name === after);
  if (after !== undefined && last === -1)
    throw badRequest('after must be the name of an entry in the directory; start again without it');
  const left = ranked.slice(last + 1);
  const files = left.slice(0, shownMax).map(({ entry }) => toFile(entry));
  return { files, isTruncated: left.length > shownMax };
}

const root: PanelFile = {
  name: '/',
  type: 'directory',
  bytes: 0,
  mimeType: 'inode/directory',
  modifiedAt: new Date(0).toISOString(),
};

export async function find(filePath: FilePath): Promise<Found> {
  if (filePath.path === '/') return { entry: root, through: null };
  return (await readListing({ ...filePath, path: directoryOf(filePath.path) })).at(filePath.path);
}

export async function findAll(filePaths: readonly FilePath[], requireTime = () => {}) {
  const entries = new Map<FilePath, PanelFile>();
  for (const [directory, one] of new Map(filePaths.map((place) => [directoryOf(place.path), place]))) {
    requireTime();
    const { at } = await readListing({ ...one, path: directory });
    for (const place of filePaths.filter(({ path }) => directoryOf(path) === directory)) {
      const { entry } = at(place.path);
      if (entry) entries.set(place, entry);
    }
  }
  return entries;
}

interface Listing {
  names: readonly string[];
  at(path: string): Found;
}

export async function readListing(directory: FilePath): Promise<Listing> {
  try {
    const listed = await listDirectory(directory);
    const at = (path: string) => {
      const entry = listed.find(({ name }) => name === path.slice(path.lastIndexOf('/') + 1));
      return { entry: entry ? toFile(entry) : null, through: null };
    };
    return { names: listed.map(({ name }) => name), at };
  } catch (failure) {
    const through = await findObstacle(directory, failure);
    return { names: [], at: () => ({ entry: null, through }) };
  }
}

/** @throws `failure` if the directory exists */
async function findObstacle(directory: FilePath, failure: unknown): Promise<Found['through']> {
  if (refusalOf(failure) === 'missing') return null;
  const { length: depth } = directory.path.split('/');
  if (directory.path === '/' || depth > depthMax || !mayBeMissing(failure)) throw failure;
  const { entry, through } = await find(directory);
  if (entry?.type === 'directory') throw failure;
  return through ?? entry?.type ?? null;
}

/** Why a node refused a call, as far as panels report it. A refused call has no later effect. Null: the node did not refuse. */
export function refusalOf(failure: unknown) {
  if (!(failure instanceof PanelFailure)) return null;
  const { status = 0, upstreamCode = '' } = failure.details;
  const ofNode = failure.kind === 'node' ? status : 0;
  if (ofNode === 404 || upstreamCode === 'FileNotFoundException') return 'missing';
  // The name is taken, the path is too long, or the disk is full.
  if (ofNode === 400 || ['FileExistsException', 'FileNotEditableException'].includes(upstreamCode))
    return 'refused';
  // The file is on the host's list of files that must not change.
  if (ofNode === 403) return 'denied';
  // Pelican sends this code for most refusals by a node.
  if (upstreamCode === 'RequestException') return 'unexplained';
  return upstreamCode === 'DaemonConnectionException' && status < 500 ? 'other' : null;
}

/** A node also responds this way for a path that does not exist or is not a file. */
const mayBeMissing = (failure: unknown) =>
  failure instanceof PanelFailure && (failure.kind === 'node' || refusalOf(failure) === 'missing');

export const deniedError = (what: 'read' | 'changed', cause?: unknown) =>
  badRequest(`The host does not allow this file to be ${what}`, cause);

export const typeNames = {
  file: 'file',
  directory: 'directory',
  link: 'link',
  other: 'pipe, device or socket',
} as const satisfies Record<PanelFile['type'], string>;

/** Accepts a path where nothing exists. */
export function requireNothingButDirectory({ entry, through }: Found): void {
  if (through) throw badRequest(`directory leads through a ${typeNames[through]}`);
  if (entry && entry.type !== 'directory') throw badRequest(`directory is a ${typeNames[entry.type]}`);
}

export function requireFile({ entry, through }: Found): PanelFile {
  if (through === 'link' || entry?.type === 'link') throw badRequest('file is a link, or leads through one');
  if (!entry) throw notFound('File');
  if (entry.type !== 'file') throw badRequest(`file is a ${typeNames[entry.type]}`);
  return entry;
}
