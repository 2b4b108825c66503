/** A backup as files, a directory with two for each collection, as mongodump lays out one database. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CollectionDump } from '../../models/backup/dump.ts';
import { CommandError } from './verb.ts';

/** There are hashes of passwords and keys in it: they are for its owner alone. */
const forOwner = 0o600;

/** Whole or not there: under another name until `finish`. */
export async function createBackup(directory: string) {
  const draft = `${directory}.partial`;
  if (await listFiles(directory)) throw new CommandError(`${directory} is there already`);
  await mkdir(draft, { recursive: true, mode: 0o700 });
  return {
    async keep({ name, metadata, documents }: CollectionDump): Promise<void> {
      await writeFile(join(draft, `${name}.metadata.json`), metadata, { mode: forOwner });
      await pipeline(
        documents,
        createWriteStream(join(draft, `${name}.bson`), { mode: forOwner, flush: true }),
      );
    },
    finish: () => rename(draft, directory),
  };
}

/** @throws {CommandError} when there is no backup in the directory */
export async function readBackup(directory: string): Promise<CollectionDump[]> {
  const names = (await listFiles(directory))?.filter((name) => name.endsWith('.bson')) ?? [];
  if (names.length === 0) throw new CommandError(`no backup in ${directory}: no .bson file`);
  return Promise.all(
    names.map(async (fileName) => {
      const name = fileName.slice(0, -'.bson'.length);
      const metadata = await readFile(join(directory, `${name}.metadata.json`), 'utf8');
      return { name, metadata, documents: readDocuments(join(directory, fileName)) };
    }),
  );
}

const listFiles = (directory: string) => readdir(directory).catch(() => null);

/** @throws {CommandError} when a file is not whole, before any of it is used */
export async function judgeBackup(dumps: readonly CollectionDump[]): Promise<void> {
  for (const { documents } of dumps) for await (const _ of documents);
}

/** Each time it is iterated, the file is read anew. */
const readDocuments = (path: string): AsyncIterable<Buffer> => ({
  [Symbol.asyncIterator]: () => splitDocuments(path),
});

/** BSON documents stand one after another, each beginning with its length and ending with a zero. */
async function* splitDocuments(path: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path)) {
    rest = Buffer.concat([rest, chunk]);
    for (let length = lengthOf(rest); rest.length >= length; length = lengthOf(rest)) {
      if (length < 5 || rest[length - 1] !== 0)
        throw new CommandError(`${path} holds something else than BSON`);
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
  }
  if (rest.length > 0) throw new CommandError(`${path} ends in the middle of a document`);
}

const lengthOf = (bytes: Buffer) => (bytes.length >= 4 ? bytes.readInt32LE(0) : Number.POSITIVE_INFINITY);
