/** One real MongoDB for a whole run of the tests, found the way the service finds it; each caller has its own database. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectMongoose, type Database, openDatabase } from '../../server/database.ts';

export const mongodCacheDir = fileURLToPath(new URL('../../.cache/mongod', import.meta.url));

/** What mocha's setup and teardown share; `uri` names a database with which every name of this run begins. */
interface Run {
  database: Database;
  dataDir: string;
  uri: string;
}

/** TEST_MONGODB_URI, when set, is a replica set to use instead of an embedded one. */
export async function mochaGlobalSetup(this: Run): Promise<void> {
  this.dataDir = await mkdtemp(join(tmpdir(), 'gamehost-test-'));
  this.database = await openTestDatabase(this.dataDir).catch(async (failure) => {
    await rm(this.dataDir, { recursive: true });
    throw failure;
  });
  this.uri = withDatabase(this.database.uri, `gamehost_test_${shortRandom()}`);
  // The environment is what every test file sees, in workers too.
  process.env['TEST_MONGODB_URI'] = this.uri;
}

export async function mochaGlobalTeardown(this: Run): Promise<void> {
  if (!this.database.isEmbedded) await dropDatabases(this.uri);
  await this.database.stop();
  await rm(this.dataDir, { recursive: true, force: true });
}

/** The URI of a new database. */
export function testDatabaseUri(name = 'any'): string {
  const run = process.env['TEST_MONGODB_URI'];
  if (!run) throw new Error('testDatabaseUri() is for use inside a mocha run');
  const [, prefix] = uriParts.exec(run)?.slice(1) ?? [];
  return withDatabase(run, `${prefix}_${name}_${shortRandom()}`);
}

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
