/**
 * `backup` and `restore`: a snapshot of all documents and indexes, with two files per collection as in mongodump's layout of
 * one database. For the embedded database it includes the key that decrypts webhooks' secrets.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { CollectionDump } from '../../models/backup.ts';
import type { Models } from '../../models/index.ts';
import { processLeaseMs } from '../../models/process-lease.ts';
import { readConfig } from '../config.ts';
import { findRunningEmbedded } from '../database.ts';
import { secretsKeyFileOf } from '../embedded-database/data-dir.ts';
import { type Access, type Io, withBareModels } from './access.ts';
import { command } from './command.ts';
import { Argument, Flag } from './option.ts';
import { CommandError } from './print.ts';

const Directory = Argument.min(1);

export const backup = command({
  summary: 'Write a consistent snapshot of all documents and indexes into a new directory',
  example: 'backup backups/monday',
  options: z.object({ directory: Directory.describe('the directory to create; it must not exist') }),
  access: withBareModels,
  async run(models, { directory }, io) {
    const collections: string[] = [];
    await writeBackup(directory, async (draft) => {
      await models.dumpAll(async (dump) => {
        await writeDump(draft, dump);
        collections.push(dump.name);
      });
      const keyFile = embeddedKeyFile(io);
      if (keyFile) await copyKey(keyFile, secretsKeyFileOf(draft));
    });
    const text = `Wrote ${collections.length} collections to ${directory}`;
    return { json: { directory, collections }, text };
  },
});

/** @throws {CommandError} when a service runs on the embedded database; `refuseRunning` finds those at MONGODB_URI */
const withIdleModels: Access<Models> = async (io, work) => {
  const { mongodbUri, dataDir } = readConfig(io.env);
  if (!mongodbUri && (await findRunningEmbedded(dataDir)))
    throw new CommandError('the service is running on this database; stop it first');
  return withBareModels(io, work);
};

export const restore = command({
  summary: 'Restore a backup, or a dump made by mongodump, into an empty database; stop the service first',
  example: 'restore backups/monday --drop',
  options: z.object({
    directory: Directory.describe(
      "a directory written by backup, or a database's directory in a dump made by mongodump",
    ),
    drop: Flag.describe('drop everything in the database first'),
    force: Flag.describe('restore even if processes of the service run on the database at MONGODB_URI'),
  }),
  access: withIdleModels,
  async run(models, { directory, drop, force }, io) {
    if (!force) await refuseRunning(models);
    const dumps = await readBackup(directory);
    // Reads every file once, so that an incomplete one is refused before any document is dropped or restored.
    for (const { documents: all } of dumps) for await (const _ of all);
    if (drop) await models.dropAll();
    else if (!(await models.isEmpty()))
      throw new CommandError('the database is not empty (--drop empties it first)');
    let documents = 0;
    for (const dump of dumps) documents += await models.loadCollection(dump);
    const text = `Restored ${dumps.length} collections, ${documents} documents in all${await restoreKey(directory, io)}`;
    return { json: { documents, collections: dumps.map(({ name }) => name) }, text };
  },
});

async function refuseRunning({ processLeases }: Models): Promise<void> {
  const running = await processLeases.count();
  if (running === 0) return;
  const processes =
    running === 1 ? '1 process of the service runs' : `${running} processes of the service run`;
  throw new CommandError(
    `${processes} on this database: stop all of them first. A process that died still counts for ${processLeaseMs / 1000} seconds; --force restores anyway`,
  );
}

/** Null for a database at MONGODB_URI: SECRETS_KEY is its key. */
function embeddedKeyFile({ env }: Io): string | null {
  const { mongodbUri, dataDir } = readConfig(env);
  return mongodbUri ? null : secretsKeyFileOf(resolve(dataDir));
}

/** A missing file is not a failure: nothing has been encrypted yet. */
const copyKey = (from: string, to: string): Promise<boolean> =>
  copyFile(from, to).then(
    () => true,
    (failure) => failure.code !== 'ENOENT' && Promise.reject(failure),
  );

async function restoreKey(directory: string, io: Io): Promise<string> {
  const kept = secretsKeyFileOf(directory);
  const keyFile = embeddedKeyFile(io);
  if (keyFile) await copyKey(kept, keyFile);
  else if (await stat(kept).catch(() => null))
    return `\nSet SECRETS_KEY to the text of ${kept}: webhooks are encrypted with it. To use another key, set this one as SECRETS_KEY_PREVIOUS.`;
  return '';
}

/** Backups contain hashes of passwords and keys. */
const ownerOnly = 0o600;

/**
 * Writes to a temporary directory and renames it at the end, so that the backup is complete or absent.
 * @throws {CommandError} when the directory exists
 */
async function writeBackup(path: string, writeAll: (draft: string) => Promise<void>): Promise<void> {
  const directory = resolve(path); // without a trailing slash, which would put the draft inside it
  if (await stat(directory).catch(() => null)) throw new CommandError(`${path} exists already`);
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(`${directory}.partial-`);
  try {
    await writeAll(draft);
    await rename(draft, directory);
  } catch (failure) {
    await rm(draft, { recursive: true });
    throw failure;
  }
}

async function writeDump(directory: string, { name, metadata, documents }: CollectionDump): Promise<void> {
  await writeFile(join(directory, `${name}.metadata.json`), metadata, { mode: ownerOnly });
  const file = createWriteStream(join(directory, `${name}.bson`), { mode: ownerOnly, flush: true });
  await pipeline(documents, file);
}

async function readBackup(directory: string): Promise<CollectionDump[]> {
  const found = await readdir(directory).catch(() => []);
  const names = found.filter((name) => name.endsWith('.bson'));
  if (names.length === 0) throw new CommandError(`no backup in ${directory}: no .bson file`);
  return Promise.all(
    names.map(async (fileName) => {
      const name = fileName.slice(0, -'.bson'.length);
      const metadata = await readFile(join(directory, `${name}.metadata.json`), 'utf8');
      return { name, metadata, documents: readDocuments(join(directory, fileName)) };
    }),
  );
}

/** Reads the file again for each iteration. */
const readDocuments = (path: string): AsyncIterable<Buffer> => ({
  [Symbol.asyncIterator]: () => splitDocuments(path),
});

/** The longest document that MongoDB stores. */
const documentBytesMax = 16 * 1024 * 1024;
const documentBytesMin = 5;
const lengthBytes = 4;

/**
 * A file is a sequence of BSON documents; each starts with its length and ends with a zero byte. Chunks are joined only when
 * they hold a complete document: joining each new chunk would copy a long document every time.
 */
async function* splitDocuments(path: string): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let length = lengthBytes;
  for await (const chunk of createReadStream(path)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < length) continue;
    let rest = Buffer.concat(chunks);
    for (length = lengthOf(rest); rest.length >= length; length = lengthOf(rest)) {
      if (length < documentBytesMin || rest[length - 1] !== 0)
        throw new CommandError(`${path} does not hold BSON`);
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
    if (length > documentBytesMax) throw new CommandError(`${path} does not hold BSON`);
    chunks = [rest];
    bytes = rest.length;
  }
  if (bytes > 0) throw new CommandError(`${path} ends in the middle of a document`);
}

/** How many bytes the next step needs: four for the length, then the document's own length. */
const lengthOf = (bytes: Buffer) => (bytes.length >= lengthBytes ? bytes.readInt32LE(0) : lengthBytes);
