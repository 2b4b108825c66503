/** The entries of a server's directory, as its node lists them: all at once and in no order, so they are read as they arrive. */
import { z } from 'zod';
import { badRequest } from '../../routers/errors.ts';
import type { LocatedServer, PanelFile, PanelFileList } from '../../routers/panel-port.ts';
import { PanelFailure } from './failures.ts';
import type { BodySink } from './http-stream.ts';
import { JsonItems } from './json-items.ts';
import { expecting } from './panel-api.ts';
import type { ServerApi } from './server-api.ts';
import { panelTime } from './time.ts';

/** A path of a server. */
export interface Place {
  server: LocatedServer;
  path: string;
  requestId: string;
}

/** Of one list: some two hundred thousand entries. */
const listBytesMax = 64 * 1024 * 1024;
/** What a caller is shown of a directory. */
const shownMax = 1_000;
/** No file system takes a longer one. */
const nameLengthMax = 1_024;

const Entry = z.object({
  attributes: z.object({
    name: z
      .string()
      .min(1)
      .max(nameLengthMax)
      .overwrite((name) => name.toWellFormed()),
    size: z.number().catch(0),
    is_file: z.boolean(),
    mimetype: z.string().max(255).catch('application/octet-stream'),
    modified_at: panelTime,
  }),
});

/** An entry whose other fields are unread: a schema for each of a hundred thousand would take most of the time. */
export interface Listed {
  name: string;
  type: PanelFile['type'];
  item: unknown;
}

/** Gives each entry to `onEntry`, which keeps what it needs. */
export async function readDirectory(
  api: ServerApi,
  { server, path, requestId }: Place,
  onEntry: (entry: Listed) => void,
): Promise<void> {
  const items = new JsonItems((item) => onEntry(toListed(item)));
  const sink = createListSink(items);
  const rest = `files/list?directory=${encodeURIComponent(path)}`;
  api.requireReads();
  await api.send(
    { server, rest, requestId, sink },
    expecting([200], 'Server', () => items.end()),
  );
}

function createListSink(items: JsonItems): BodySink {
  let bytes = 0;
  return {
    begin() {},
    write(chunk) {
      bytes += chunk.length;
      if (bytes > listBytesMax) throw new PanelFailure('malformed', { reason: 'the list is too long' });
      items.push(chunk);
      return true;
    },
  };
}

function toListed(item: unknown): Listed {
  const { attributes } = item as { attributes?: Record<string, unknown> }; // JsonItems gives objects
  const name = attributes?.['name'];
  if (!attributes || typeof name !== 'string') throw unexpected();
  return { name: name.toWellFormed(), type: typeOf(attributes), item };
}

/** What Go's modes begin with before the permissions, but for flags of what is a file or a directory all the same. */
const special = /[^-dugtaTlL]/;

/** Nodes that say nothing of links show them by the mode; of all else that is no directory they say that it is a file. */
function typeOf(attributes: Record<string, unknown>): PanelFile['type'] {
  const kind = String(attributes['mode'] ?? '').slice(0, -'rwxrwxrwx'.length);
  if (attributes['is_symlink'] === true || /^l/i.test(kind)) return 'link';
  if (special.test(kind)) return 'other';
  return attributes['is_file'] === true ? 'file' : 'directory';
}

// Not in zod's words, which may quote names.
const unexpected = () =>
  new PanelFailure('malformed', { reason: 'an entry of a directory is not as expected' });

/** @throws {PanelFailure} `malformed` for an entry that lacks a field */
export function toFile({ item, type }: Listed): PanelFile {
  const { data } = Entry.safeParse(item);
  if (!data) throw unexpected();
  const { name, size: bytes, mimetype: mimeType, modified_at: modifiedAt } = data.attributes;
  return { name, type, bytes, mimeType, modifiedAt };
}

/** The first entries of a directory, of which never more than a few thousand are held. */
export class FirstEntries {
  readonly #after: string | undefined;
  /** What comes after that name, where it is one of a directory, and where not: that is known when it has come. */
  readonly #afterDirectory = new FirstOf();
  readonly #afterOther = new FirstOf();
  #last: Listed | null = null;

  /** @param after the name of an entry: those that come after it */
  constructor(after?: string) {
    this.#after = after;
  }

  add(entry: Listed): void {
    const isDirectory = entry.type === 'directory';
    const isLater = this.#after === undefined || entry.name > this.#after;
    if (entry.name === this.#after) this.#last = entry;
    if (isLater || !isDirectory) this.#afterDirectory.add(entry);
    if (isLater && !isDirectory && this.#after !== undefined) this.#afterOther.add(entry);
  }

  /** @throws bad_request where nothing has that name */
  list(): PanelFileList {
    if (this.#after !== undefined && !this.#last)
      throw badRequest('after must be the name of what is in the directory; begin again without it');
    const isAfterOther = this.#last !== null && this.#last.type !== 'directory';
    return (isAfterOther ? this.#afterOther : this.#afterDirectory).list();
  }
}

class FirstOf {
  #entries: Listed[] = [];
  #isTruncated = false;

  add(entry: Listed): void {
    this.#entries.push(entry);
    if (this.#entries.length >= 2 * shownMax) this.#cut();
  }

  list(): PanelFileList {
    this.#cut();
    return { files: this.#entries.map(toFile), isTruncated: this.#isTruncated };
  }

  #cut() {
    this.#entries.sort(inOrder);
    this.#isTruncated ||= this.#entries.length > shownMax;
    this.#entries.length = Math.min(this.#entries.length, shownMax);
  }
}

/** Directories before all others, then by the characters of the name. */
function inOrder(one: Listed, other: Listed): number {
  const rank = Number(other.type === 'directory') - Number(one.type === 'directory');
  return rank || (one.name < other.name ? -1 : 1);
}
