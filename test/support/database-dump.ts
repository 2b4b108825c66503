/** Dumps of released versions: a line of Extended JSON for each document and each answer. Reading them moves their times. */
import type { JsonWebKey } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { type Connection, mongo } from 'mongoose';
import type { Passkey } from './authenticator.ts';

const { EJSON } = mongo.BSON;

export interface RecordedRead {
  path: string;
  key: string;
  answer: unknown;
}

/** An answered request; its repetition must get the same answer. */
interface RecordedWrite extends RecordedRead {
  body: object;
  headers: Record<string, string>;
}

interface StoredDocument {
  collection: string;
  document: mongo.Document;
}

interface Dump {
  /** When the documents were read. */
  at: Date;
  indexes: Record<string, mongo.IndexDescription[]>;
  stored: StoredDocument[];
  reads: RecordedRead[];
  write: RecordedWrite;
  /** PUBLIC_URL, to which the tokens of apps and the passkeys are bound. */
  url: string;
  clientId: string;
  refreshToken: string;
  holder: SecondFactorUser;
  /** The webhook that still waits for the event of the write. */
  webhook: { id: string; key: string; secret: string };
}

interface SecondFactorUser {
  email: string;
  cookies: [string, string][];
  appSecret: string;
  recoveryCode: string;
  passkey: Omit<Passkey, 'privateKey'> & { privateKey: JsonWebKey };
}

export const dumpFolder = new URL('../models/upgrades/', import.meta.url);

export async function readDocuments(connection: Connection): Promise<StoredDocument[]> {
  const names = (await connection.listCollections()).map(({ name }) => name).sort();
  const documents = async (collection: string) => {
    const found = await connection.collection(collection).find().sort({ _id: 1 }).toArray();
    return found.map((document) => ({ collection, document }));
  };
  return (await Promise.all(names.map(documents))).flat();
}

/** The indexes besides the default one. */
export async function readIndexes(connection: Connection): Promise<Dump['indexes']> {
  const described = (await connection.listCollections()).map(async ({ name }) => {
    const indexes = await connection.collection(name).listIndexes().toArray();
    return [name, indexes.filter((index) => index.name !== '_id_')] as const;
  });
  return Object.fromEntries((await Promise.all(described)).filter(([, indexes]) => indexes.length > 0));
}

export async function writeDump(version: string, { stored, reads, ...rest }: Dump): Promise<void> {
  const lines = [rest, ...stored, ...reads].map((line) => EJSON.stringify(line, { relaxed: false }));
  await writeFile(new URL(`${version}.ndjson`, dumpFolder), `${lines.join('\n')}\n`);
}

/** Moves all times by whole days, so that `at` is within the next 24 hours and nothing has expired since. */
export async function readDump(name: string): Promise<Dump> {
  const [head = '', ...lines] = (await readFile(new URL(name, dumpFolder), 'utf8')).trimEnd().split('\n');
  const days = Math.ceil((Date.now() - EJSON.parse(head).at.getTime()) / dayMs);
  const parse = (line: string) => EJSON.parse(inDays(line, days));
  const all = lines.map(parse);
  return {
    ...parse(head),
    stored: all.filter((line) => 'document' in line),
    reads: all.filter((line) => 'answer' in line),
  };
}

const dayMs = 24 * 60 * 60 * 1000;

/** Moves dates from 2020 to 2039, and times in seconds or milliseconds from 2023 to 2033. */
const inDays = (text: string, days: number): string =>
  text
    .replace(/\b20[23]\d-\d\d-\d\d(?!\d)/g, (date) =>
      new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, date.length),
    )
    .replace(/\b1[789]\d{8}(\d{3})?\b/g, (time, ms?: string) =>
      String(Number(time) + (days * dayMs) / (ms ? 1 : 1000)),
    );
