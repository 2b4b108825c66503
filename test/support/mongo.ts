/** One real MongoDB for a run of the tests, found the way the service finds it; each caller gets its own database. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Connection } from 'mongoose';
import { createModels } from '../../models/index.ts';
import { connectMongoose, type Database, openDatabase } from '../../server/database.ts';

export const mongodCacheDir = fileURLToPath(new URL('../../.cache/mongod', import.meta.url));

/** Shared by mocha's setup and teardown; the database in `uri` is the prefix of all database names in this run. */
interface Run {
  database: Database;
  dataDir: string;
  uri: string;
}

/** TEST_MONGODB_URI, when set, is a replica set to use instead of an embedded one. */
export async function mochaGlobalSetup(this: Run): Promise<void> {
  this.dataDir = await mkdtemp(join(await fastestDir(), 'gamehost-test-'));
  this.database = await openTestDatabase(this.dataDir).catch(async (failure) => {
    await rm(this.dataDir, { recursive: true });
    throw failure;
  });
  this.uri = withDatabase(this.database.uri, `gamehost_test_${shortRandom()}`);
  // Every test file sees the environment, in workers too.
  process.env['TEST_MONGODB_URI'] = this.uri;
}

export async function mochaGlobalTeardown(this: Run): Promise<void> {
  if (!this.database.isEmbedded) await dropDatabases(this.uri);
  await this.database.stop();
  await rm(this.dataDir, { recursive: true, force: true });
}

export function testDatabaseUri(name = 'any'): string {
  const run = process.env['TEST_MONGODB_URI'];
  if (!run) throw new Error('testDatabaseUri() is for use inside a mocha run');
  const [, prefix] = uriParts.exec(run)?.slice(1) ?? [];
  return withDatabase(run, `${prefix}_${name}_${shortRandom()}`);
}

/** The URI of a new database, with connection options that an operator might set. */
export function databaseUriWith(options: string): string {
  const uri = testDatabaseUri();
  return `${uri}${uri.includes('?') ? '&' : '?'}${options}`;
}

/** Empty databases with all collections and indexes, which take longer to build than most tests to run. */
const emptyDatabases: string[] = [];
/** The collections of each of them. */
let asBuilt = '';

export async function takeIndexedDatabase(): Promise<string> {
  const kept = emptyDatabases.pop();
  if (kept) return kept;
  const uri = testDatabaseUri();
  const connection = await connectMongoose(uri);
  await createModels(connection).ensureCollections();
  asBuilt = await describeCollections(connection);
  await connection.close();
  return uri;
}

/** Empties a database for reuse, or drops it when a test has changed more than documents. */
export async function returnIndexedDatabase(connection: Connection, uri: string): Promise<void> {
  if (!(await isAsBuilt(connection))) return void (await connection.dropDatabase());
  const empty = async (name: string) => {
    await connection.collection(name).deleteMany();
    // A query plan for one test's documents may be slow for another's.
    await connection.db?.command({ planCacheClear: name });
  };
  await Promise.all(modelCollections(connection).map(empty));
  emptyDatabases.push(uri);
}

const isAsBuilt = async (connection: Connection) => (await describeCollections(connection)) === asBuilt;

async function describeCollections(connection: Connection): Promise<string> {
  const found = (await connection.db?.listCollections({}, { nameOnly: false }).toArray()) ?? [];
  return JSON.stringify(found.map(({ name, options }) => ({ name, options })).sort(byName));
}

const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);

const modelCollections = (connection: Connection) =>
  Object.values(connection.models).map(({ collection }) => collection.collectionName);

/** In memory when there is room, as the data is not needed after the run. */
async function fastestDir(): Promise<string> {
  const { bavail, bsize } = await statfs('/dev/shm').catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > memoryNeeded ? '/dev/shm' : tmpdir();
}

/** Several times the size of a run's data. */
const memoryNeeded = 4 * 1024 ** 3;

const openTestDatabase = (dataDir: string) =>
  openDatabase({
    mongodbUri: process.env['TEST_MONGODB_URI'],
    mongodSystemBinary: process.env['MONGOMS_SYSTEM_BINARY'],
    dataDir,
    cacheDir: mongodCacheDir,
    reportProgress: (line) => void process.stderr.write(`${line}\n`),
  });

const shortRandom = () => randomUUID().slice(0, 8);

/** Scheme and hosts, database, options. */
const uriParts = /^([\w+]+:\/\/[^/?]+)\/?([^?]*)(.*)$/;

const withDatabase = (uri: string, name: string) => uri.replace(uriParts, `$1/${name}$3`);

async function dropDatabases(uri: string): Promise<void> {
  const connection = await connectMongoose(uri);
  const { databases } = await connection.listDatabases();
  for (const { name } of databases.filter((database) => database.name.startsWith(connection.name))) {
    await connection.useDb(name).dropDatabase();
  }
  await connection.close();
}
