/** A data directory and the operations of tests on its embedded database; `stop()` removes everything. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectMongoose, type Database, openDatabase } from '../../server/database.ts';
import { mongodCacheDir } from './mongo.ts';
import { useForEach, useStarted } from './use-started.ts';

class EmbeddedDataDir {
  readonly dataDir: string;
  readonly lockPath: string;
  readonly progress: string[] = [];
  readonly #databases: Database[] = [];
  readonly #programs: ChildProcess[] = [];
  readonly #occupiers: Server[] = [];

  static async create() {
    return new EmbeddedDataDir(await mkdtemp(join(tmpdir(), 'gamehost-data-')));
  }

  constructor(dataDir: string) {
    this.dataDir = dataDir;
    this.lockPath = join(dataDir, 'mongodb', 'mongod.lock');
  }

  async stop(): Promise<void> {
    for (const occupier of this.#occupiers) occupier.close();
    for (const program of this.#programs) program.kill('SIGTERM');
    for (const database of this.#databases) await database.stop();
    await this.mongodEnd();
    await rm(this.dataDir, { recursive: true });
  }

  /** `exit` resolves when mongod exits by itself. */
  async open() {
    let onDatabaseExit = () => {};
    const exit = new Promise<void>((resolve) => {
      onDatabaseExit = resolve;
    });
    const database = await openDatabase({
      onDatabaseExit,
      mongodSystemBinary: process.env['MONGOMS_SYSTEM_BINARY'],
      dataDir: this.dataDir,
      cacheDir: mongodCacheDir,
      reportProgress: (line) => void this.progress.push(line),
    });
    this.#databases.push(database);
    return { ...database, exit };
  }

  /** The same in its own process group, which a test can kill; rejects with its stderr. */
  async openElsewhere() {
    const path = fileURLToPath(new URL('./embedded-program.ts', import.meta.url));
    const program = spawn(process.execPath, ['--import', 'tsx', path, this.dataDir], { detached: true });
    this.#programs.push(program);
    let stderr = '';
    program.stderr.on('data', (data) => (stderr += data));
    const failed = once(program, 'close').then(() => Promise.reject(new Error(stderr)));
    const [uri] = await Promise.race([once(createInterface(program.stdout), 'line'), failed]);
    return { program, uri: String(uri), stderr: () => stderr };
  }

  /** Starts another program on the port, which accepts connections and sends nothing. */
  async takePort(port: number): Promise<Server> {
    const occupier = createServer((socket) => void socket.unref()).listen(port, '127.0.0.1');
    this.#occupiers.push(occupier);
    await once(occupier, 'listening');
    return occupier;
  }

  /** mongod empties its lock file after it has closed its data. */
  async mongodEnd(): Promise<void> {
    while ((await stat(this.lockPath).catch(() => ({ size: 0 }))).size > 0) await delay(50);
  }
}

/** A new one for each test of a `describe`. */
export const useEmbedded = () => useForEach(() => EmbeddedDataDir.create());

/** One for all tests of a `describe`. */
export const useSharedEmbedded = () => useStarted(() => EmbeddedDataDir.create());

export const portOf = (uri: string) => Number(new URL(uri).port);

export async function storeNote(uri: string, text: string): Promise<void> {
  const connection = await connectMongoose(uri);
  await connection.collection('notes').insertOne({ text });
  await connection.close();
}

export async function readNotes(uri: string): Promise<string[]> {
  const connection = await connectMongoose(uri);
  const notes = await connection.collection('notes').find().sort({ _id: 1 }).toArray();
  await connection.close();
  return notes.map((note) => note['text']);
}

/** How the server on the other end describes itself: `serverStatus` and `hello` in one. */
export async function describeServer(uri: string) {
  const connection = await connectMongoose(uri);
  const admin = connection.db?.admin();
  const [status, hello] = [await admin?.serverStatus(), await admin?.command({ hello: 1 })];
  await connection.close();
  return { ...status, ...hello, database: connection.name, pid: Number(status?.['pid']) };
}
