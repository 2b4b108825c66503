/** The service's MongoDB: the one MONGODB_URI names, else an embedded one on this machine; and the way into it. */
import { resolve } from 'node:path';
import { type Connection, Mongoose } from 'mongoose';
import { lastLine, type Say, StartError } from './embedded/say.ts';
import type { PoolEvents } from './metrics/database-pool.ts';
import type { CommandEvents } from './tracing/commands.ts';

export interface DatabaseOptions {
  /** MONGODB_URI: with it nothing is embedded. */
  mongodbUri?: string | undefined;
  /** DATA_DIR: where the embedded database is kept. */
  dataDir: string;
  /** MONGOMS_SYSTEM_BINARY: the mongod to embed. */
  mongodSystemBinary?: string | undefined;
  /** Where a fetched mongod is kept. */
  cacheDir: string;
  /** Hears, line by line, what slow steps are doing. */
  say: Say;
}

export interface Database {
  uri: string;
  isEmbedded: boolean;
  /** Keeps the data; ends only what `openDatabase` started. */
  stop(): Promise<void>;
}

/** @throws {StartError} whose message tells the operator what to do. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.mongodbUri) return { uri: options.mongodbUri, isEmbedded: false, stop: async () => {} };
  // Loaded only when needed: it takes a third of the time of a start on MONGODB_URI.
  const { findMongod } = await import('./embedded/mongod-binary.ts');
  const { startEmbedded } = await import('./embedded/embedded-database.ts');
  const { cacheDir, say, mongodSystemBinary: systemBinary } = options;
  const mongod = await findMongod({ systemBinary, cacheDir, say });
  const embedded = await startEmbedded({ dataDir: resolve(options.dataDir), mongod, say });
  return { ...embedded, isEmbedded: true };
}

/** The URI of the embedded database that a running service has open on this data directory, for use beside it. */
export async function findRunningEmbedded(dataDir: string): Promise<string | null> {
  const running = await import('./embedded/running.ts');
  return running.findRunningEmbedded(resolve(dataDir));
}

/** For each step of a call of a service, which is tried twice: callers are not to hang on a database that does. */
export const callTimeoutMs = 2500;

export interface ConnectOptions {
  /** How long each step of a call may take: finding a server, reaching it, its answer; without it, as long as it likes. */
  callTimeoutMs?: number;
  /** Is given the driver's client before it connects. */
  watch?: (client: PoolEvents & CommandEvents) => void;
  /** Whether the client tells of its commands too, which costs it time. */
  monitorCommands?: boolean;
  /** Ends the waiting for a server. */
  signal?: AbortSignal | undefined;
}

/**
 * A connection with the service's rules: writes wait for the majority, reads go to the primary, collections and indexes
 * are built only when asked for, and a query on a field no schema has throws instead of matching everything.
 * @throws {StartError} when MongoDB does not answer within five seconds (or as the URI says).
 */
export async function connectMongoose(
  uri: string,
  { callTimeoutMs, watch, monitorCommands = false, signal }: ConnectOptions = {},
): Promise<Connection> {
  const connection = new Mongoose({ strictQuery: 'throw' }).createConnection(uri, {
    ...(namesDatabase(uri) ? {} : { dbName: 'gamehost' }),
    appName: 'gamehost',
    monitorCommands,
    autoIndex: false,
    autoCreate: false,
    // A call of a lost connection fails in its own time, and one after the end at once, instead of waiting for another.
    bufferCommands: false,
    ...unlessNamed(uri, { serverSelectionTimeoutMS: 5000, ...(callTimeoutMs && timeoutsOf(callTimeoutMs)) }),
    // Whatever the URI says: what is acknowledged is on the disks of most members, and a key that was revoked is so for
    // every process, which a member that lags behind does not know yet.
    writeConcern: { w: 'majority', j: true },
    readPreference: 'primary',
  });
  watch?.(connection.getClient());
  const giveUp = () => void connection.getClient().close();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await connection.asPromise();
  } catch (error) {
    await connection.close();
    throw new StartError(`No connection to MongoDB: ${lastLine(error)}`, { cause: error });
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

/** Fulfilled when a primary answers. */
export async function pingDatabase(connection: Connection): Promise<void> {
  await connection.db?.command({ ping: 1 });
}

/** The driver's `timeoutMS`, which would bound the whole call, has no effect in this release. */
export const timeoutsOf = (callTimeoutMs: number) => ({
  serverSelectionTimeoutMS: callTimeoutMs,
  waitQueueTimeoutMS: callTimeoutMs,
  connectTimeoutMS: callTimeoutMs,
  socketTimeoutMS: callTimeoutMs,
});

/** Defaults for what the URI does not say itself. */
const unlessNamed = (uri: string, defaults: Record<string, number>) =>
  Object.fromEntries(Object.entries(defaults).filter(([name]) => !new RegExp(`[?&]${name}=`, 'i').test(uri)));

/** As in mongodb://user:secret@one:27017,two:27017/NAME?options. */
const namesDatabase = (uri: string) => /^mongodb(\+srv)?:\/\/[^/?]+\/[^?]/.test(uri);
