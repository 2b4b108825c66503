/** The entries of a server's directory, as its node lists them: all at once and in no order. */
import { z } from 'zod';
import { badRequest } from '../../routers/errors.ts';
import type { LocatedServer, PanelFile, PanelFileList } from '../../routers/panel-port.ts';
import { expecting, parseBody } from './panel-api.ts';
import type { ServerApi } from './server-api.ts';
import { panelTime } from './time.ts';

/** A path of a server. */
export interface Place {
  server: LocatedServer;
  path: string;
  requestId: string;
}

/** What a caller is shown of a directory. */
const shownMax = 1_000;
/** No file system takes a longer one. */
const nameLengthMax = 1_024;

/** The other fields are parsed of the entries that are shown: of all they would take most of the time. */
const List = z.object({
  data: z.array(
    z.object({
      attributes: z.looseObject({
        name: z
          .string()
          .min(1)
          .max(nameLengthMax)
          .overwrite((name) => name.toWellFormed()),
      }),
    }),
  ),
});

type Listed = z.infer<typeof List>['data'][number]['attributes'];

const Entry = z.object({
  name: z.string(),
  size: z.number().catch(0),
  is_file: z.boolean(),
  mimetype: z.string().max(255).catch('application/octet-stream'),
  modified_at: panelTime,
});

export async function listDirectory(api: ServerApi, { server, path, requestId }: Place): Promise<Listed[]> {
  api.requireReads();
  return api.send(
    { server, rest: `files/list?directory=${encodeURIComponent(path)}`, requestId },
    expecting([200], 'Server', (body) => parseBody(List, body).data.map(({ attributes }) => attributes)),
  );
}

/** What Go's modes begin with before the permissions, but for flags of what is a file or a directory all the same. */
const special = /[^-dugtaTlL]/;

/** Nodes that say nothing of links show them by the mode; of all else that is no directory they say that it is a file. */
function typeOf({ mode, is_symlink, is_file }: Listed): PanelFile['type'] {
  const kind = String(mode ?? '').slice(0, -'rwxrwxrwx'.length);
  if (is_symlink === true || /^l/i.test(kind)) return 'link';
  if (special.test(kind)) return 'other';
  return is_file === true ? 'file' : 'directory';
}

/** @throws {PanelFailure} `malformed` for an entry that lacks a field */
export function toFile(listed: Listed): PanelFile {
  const { name, size: bytes, mimetype: mimeType, modified_at: modifiedAt } = parseBody(Entry, listed);
  return { name, type: typeOf(listed), bytes, mimeType, modifiedAt };
}

/**
 * The first entries of a directory: directories before all others, then by the characters of the name.
 * @param after the name of an entry: those that come after it
 * @throws bad_request where nothing has that name
 */
export function firstFiles(listed: readonly Listed[], after?: string): PanelFileList {
  const ranked = listed.map((entry) => ({ entry, rank: typeOf(entry) === 'directory' ? 0 : 1 }));
  ranked.sort((one, other) => one.rank - other.rank || (one.entry.name < other.entry.name ? -1 : 1));
  const last = ranked.findIndex(({ entry }) => entry.name === after);
  if (after !== undefined && last === -1)
    throw badRequest('after must be the name of what is in the directory; begin again without it');
  const left = ranked.slice(last + 1);
  return {
    files: left.slice(0, shownMax).map(({ entry }) => toFile(entry)),
    isTruncated: left.length > shownMax,
  };
}
