/** The service's MongoDB, either at MONGODB_URI or embedded, and the connection to it. */
import { resolve } from 'node:path';
import { type Connection, Mongoose, Error as MongooseError, mongo } from 'mongoose';
import { createModels } from '../models/index.ts';
import { SchemaError } from '../models/schema-version.ts';
import { retry } from '../models/support/retry.ts';
import './patch-mongodb-driver.ts';
import { lastLine, type ReportProgress, StartError } from './progress.ts';

interface DatabaseOptions {
  mongodbUri?: string | undefined;
  dataDir: string;
  mongodSystemBinary?: string | undefined;
  cacheDir: string;
  reportProgress: ReportProgress;
  onDatabaseExit?: () => void;
}

export interface Database {
  uri: string;
  isEmbedded: boolean;
  /** Stops the embedded MongoDB, if there is one, and keeps its data. */
  stop(): Promise<void>;
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.mongodbUri) return { uri: options.mongodbUri, isEmbedded: false, stop: async () => {} };
  // Loaded on demand: a start with MONGODB_URI needs neither module.
  const { findMongod } = await import('./embedded-database/mongod-binary.ts');
  const { startEmbedded } = await import('./embedded-database/embedded-database.ts');
  const { cacheDir, reportProgress, mongodSystemBinary: systemBinary, onDatabaseExit: onExit } = options;
  const mongod = await findMongod({ systemBinary, cacheDir, reportProgress });
  const dataDir = resolve(options.dataDir);
  const embedded = await startEmbedded({ dataDir, mongod, reportProgress, onExit }).catch((cause) => {
    if (!cause.path?.startsWith(dataDir)) throw cause;
    throw new StartError(`DATA_DIR must be a directory that this user may write to: ${cause.message}`, {
      cause,
    });
  });
  return { ...embedded, isEmbedded: true };
}

export async function findRunningEmbedded(dataDir: string): Promise<string | null> {
  const running = await import('./embedded-database/embedded-database.ts');
  return running.findRunningEmbedded(resolve(dataDir));
}

/** Limits each step of a call, which the driver tries twice, so that callers do not hang when the database hangs. */
export const callTimeoutMs = 2500;

export type DatabaseClient = mongo.MongoClient;

interface ConnectOptions {
  /** Limits each step of a call, such as connecting or waiting for the reply. If set, a call waits up to 7 s for a primary. */
  callTimeoutMs?: number;
  watch?: (client: DatabaseClient) => void;
  /** Whether the client emits command events, which costs CPU. */
  monitorCommands?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * A connection with majority writes, reads from the primary, and no automatic collections or indexes. A query with a field
 * that is not in the schema throws instead of matching everything.
 * @throws {StartError} when MongoDB does not answer within five seconds (or the URI's own timeout)
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
    // Validation takes half of the time to read a long text. We store only UTF-8; other bytes would be read as U+FFFD.
    enableUtf8Validation: false,
    // Calls on a lost connection fail instead of waiting for a new one.
    bufferCommands: false,
    ...defaultsNotIn(uri, {
      serverSelectionTimeoutMS: 5000,
      ...(callTimeoutMs && timeoutsOf(callTimeoutMs)),
    }),
    // These override the URI: acknowledged writes must survive the loss of a member, and a lagging secondary would still
    // accept a revoked key.
    writeConcern: { w: 'majority', j: true },
    readPreference: 'primary',
  });
  watch?.(connection.getClient());
  const onAbort = () => void connection.getClient().close();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await connection.asPromise();
  } catch (error) {
    await connection.close();
    throw new StartError(`No connection to the MongoDB at MONGODB_URI: ${describeConnectFailure(error)}`, {
      cause: error,
    });
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

function describeConnectFailure(error: unknown): string {
  if (isWrongReplicaSet(error)) return wrongReplicaSetMessage;
  if (isNeverInitiated(error)) return neverInitiatedMessage;
  const reason = lastLine(error);
  if (error instanceof mongo.MongoServerError && error.code === wrongPassword)
    return `it refuses the user or the password (${reason})`;
  if (reason.includes('not accepting SSL')) return 'it does not accept TLS, which the URI requires';
  if (reason.includes('certificate'))
    return `its certificate is not trusted (${reason}): name its authority with tlsCAFile= or NODE_EXTRA_CA_CERTS`;
  if (reason.endsWith(' closed')) return `${reason}; if it requires TLS, add tls=true to the URI`;
  return reason;
}

/** MongoDB's error code AuthenticationFailed. */
const wrongPassword = 18;

const wrongReplicaSetMessage = 'none of its hosts belongs to the replica set that replicaSet= names';

/** The driver drops hosts that belong to another set or to none, so no host remains. */
const isWrongReplicaSet = (error: unknown): boolean => serversOf(error)?.size === 0;

const neverInitiatedMessage =
  'it was started as a member of a replica set that was never initiated: run rs.initiate() once in mongosh';

const isNeverInitiated = (error: unknown): boolean =>
  [...(serversOf(error)?.values() ?? [])].some(({ type }) => type === 'RSGhost');

const serversOf = (error: unknown): mongo.TopologyDescription['servers'] | null =>
  error instanceof MongooseError.MongooseServerSelectionError &&
  error.cause instanceof Object &&
  'servers' in error.cause
    ? (error.cause as unknown as mongo.TopologyDescription).servers // the driver puts it there
    : null;

export async function pingDatabase(connection: Connection): Promise<void> {
  await connection.db?.command({ ping: 1 });
}

export async function readMongodbVersion(connection: Connection): Promise<string> {
  const info = await connection.db?.admin().command({ buildInfo: 1 });
  return String(info?.['version']);
}

/** @throws {StartError} on a standalone mongod, which accepts single writes and refuses every transaction */
export async function requireTransactions(connection: Connection): Promise<void> {
  const hello = await connection.db?.admin().command({ hello: 1 });
  // A mongos answers with isdbgrid and without a setName.
  if (hello?.['setName'] || hello?.['msg'] === 'isdbgrid') return;
  throw new StartError(
    'The MongoDB at MONGODB_URI is not a replica set, which transactions need. To make it a set of one member, ' +
      'start mongod with --replSet rs0, and run rs.initiate() once in mongosh.',
  );
}

/** The role readWrite allows all of these except collMod, which dbAdmin allows. */
const neededActions = 'find insert update remove createCollection createIndex dropIndex collMod'.split(' ');

interface Privilege {
  resource: { db?: string; anyResource?: boolean };
  actions: string[];
}

/** @throws {StartError} when the connection has a user that lacks rights on the whole database */
export async function requireRights({ db }: Connection): Promise<void> {
  const { authInfo } = (await db?.command({ connectionStatus: 1, showPrivileges: true })) ?? {};
  if (!authInfo?.authenticatedUsers.length) return;
  const granted = (authInfo.authenticatedUserPrivileges as Privilege[]) // the type that MongoDB documents
    .filter(({ resource }) => resource.anyResource || ['', db?.databaseName].includes(resource.db))
    .flatMap(({ actions }) => actions);
  const missing = neededActions.filter((action) => !granted.includes(action));
  if (missing.length === 0 || granted.includes('anyAction')) return;
  throw new StartError(
    `The user in MONGODB_URI lacks rights on the database ${db?.databaseName} (${missing.join(', ')}): ` +
      'give it readWrite and dbAdmin there',
  );
}

/** How long a call waits for a primary. If a reply was lost before that, the caller waits up to ten seconds in all. */
const primaryWaitMs = 7000;

/** These limit each step. The driver's `timeoutMS` would limit the entire call, but has no effect in this release. */
export const timeoutsOf = (callTimeoutMs: number) => ({
  serverSelectionTimeoutMS: primaryWaitMs,
  waitQueueTimeoutMS: callTimeoutMs,
  connectTimeoutMS: callTimeoutMs,
  socketTimeoutMS: callTimeoutMs,
});

const defaultsNotIn = (uri: string, defaults: Record<string, number>) =>
  Object.fromEntries(Object.entries(defaults).filter(([name]) => !new RegExp(`[?&]${name}=`, 'i').test(uri)));

/** For example mongodb://user:secret@one:27017,two:27017/NAME?options. */
const namesDatabase = (uri: string) => /^mongodb(\+srv)?:\/\/[^/?]+\/[^?]/.test(uri);

interface PrepareOptions {
  reportProgress: ReportProgress;
  /** How long to wait for MongoDB; the last attempt may take five seconds longer. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Uses a connection without the service's call timeouts: index builds may take longer.
 * @throws {StartError} when MongoDB refuses a command, stays unavailable, is not a replica set, or holds a schema that
 * this program does not know
 */
export async function prepareDatabase(
  uri: string,
  { reportProgress, timeoutMs = 30_000, signal }: PrepareOptions,
): Promise<void> {
  let isReported = false;
  const shouldRetry = (error: unknown) => {
    signal?.throwIfAborted();
    if (!isUnreachable(error)) return false;
    const waiting = `waiting for it up to ${Math.ceil(timeoutMs / 1000)} s ...`;
    if (!isReported) reportProgress(`${error.message}; ${waiting}`);
    isReported = true;
    return true;
  };
  signal?.throwIfAborted();
  const connection = await retry(() => connectMongoose(uri, { signal }), {
    withinMs: timeoutMs,
    when: shouldRetry,
  });
  try {
    await requireTransactions(connection);
    const models = createModels(connection);
    await models.migrate();
    await models.ensureCollections();
  } catch (cause) {
    if (cause instanceof SchemaError) throw new StartError(cause.message, { cause });
    if (!(cause instanceof mongo.MongoError)) throw cause;
    throw new StartError(`The MongoDB at MONGODB_URI refused a command: ${lastLine(cause)}`, { cause });
  } finally {
    await connection.close();
  }
}

/** A retry may succeed if no server or no primary answers, but not if the password is rejected. */
const isUnreachable = (error: unknown): error is StartError =>
  error instanceof StartError &&
  error.cause instanceof Error &&
  error.cause.name === 'MongooseServerSelectionError' &&
  !isWrongReplicaSet(error.cause);
