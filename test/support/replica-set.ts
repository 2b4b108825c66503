/** A MongoDB replica set for a test: each member is a real process that can be killed and restarted on its data. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { dbPathOf } from '../../server/embedded-database/data-dir.ts';
import { findFreePort } from '../../server/embedded-database/free-port.ts';
import { launchMongod, type MongodProcess } from '../../server/embedded-database/mongod.ts';
import { findMongod, type Mongod } from '../../server/embedded-database/mongod-binary.ts';
import { eventually } from './eventually.ts';
import { mongodCacheDir } from './mongo.ts';

interface Member {
  port: number;
  dbPath: string;
  process: MongodProcess;
}

interface Options {
  members?: number;
  /** How long members wait for a silent primary before they elect another; by default MongoDB's own value. */
  electionTimeoutMillis?: number;
}

interface FailedCommands {
  failCommands: string[];
  /** The database and the collection. */
  namespace?: string;
  errorCode?: number;
  errorLabels?: string[];
  writeConcernError?: { code: number; errmsg: string };
  closeConnection?: boolean;
  blockConnection?: boolean;
  blockTimeMS?: number;
}

const name = 'faults';

export class TestReplicaSet {
  readonly #mongod: Mongod;
  readonly #dir: string;
  readonly #members: Member[] = [];

  /** Resolves when it takes writes; `stop()` it in `after`. */
  static async start({ members = 3, electionTimeoutMillis = 10_000 }: Options = {}): Promise<TestReplicaSet> {
    const systemBinary = process.env['MONGOMS_SYSTEM_BINARY'];
    const mongod = await findMongod({ systemBinary, cacheDir: mongodCacheDir, reportProgress: () => {} });
    const set = new TestReplicaSet(mongod, await mkdtemp(join(tmpdir(), 'gamehost-set-')));
    await Promise.all(Array.from({ length: members }, (_, index) => set.#add(index)));
    await set.#initiate(electionTimeoutMillis);
    return set;
  }

  constructor(mongod: Mongod, dir: string) {
    this.#mongod = mongod;
    this.#dir = dir;
  }

  get uri(): string {
    const hosts = this.#members.map(({ port }) => `127.0.0.1:${port}`);
    return `mongodb://${hosts.join(',')}/gamehost?replicaSet=${name}`;
  }

  pids(): number[] {
    return this.#members.map(({ process }) => process.mongodProcess?.pid ?? 0);
  }

  /** Ends the primary at once, as a power loss does, or in order by SIGTERM; resolves to its index. */
  async killPrimary(signal: NodeJS.Signals = 'SIGKILL'): Promise<number> {
    const index = await this.#primary();
    const child = this.#members[index]?.process.mongodProcess;
    child?.kill(signal);
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return index;
  }

  async primaryPid(): Promise<number> {
    return this.#members[await this.#primary()]?.process.mongodProcess?.pid ?? 0;
  }

  /** Resolves when there is a primary and every other member follows it. */
  async waitUntilWhole(): Promise<void> {
    await eventually(async () => {
      const { members } = (await this.#ask(await this.#primary(), { replSetGetStatus: 1 })) as {
        members: { stateStr: string }[];
      };
      const states = members.map(({ stateStr }) => stateStr).filter((state) => state !== 'SECONDARY');
      if (states.join() !== 'PRIMARY') throw new Error(`the set has members that are ${states}`);
    }, 60_000);
  }

  /** Starts a member again after it was killed, on the same data and port. */
  async restart(index: number): Promise<void> {
    const member = this.#members[index];
    if (member) member.process = await this.#launch(member);
  }

  /**
   * Keeps the secondaries from applying writes, so that none reaches a majority; resolves to a function that releases them.
   * A member that has just finished its initial sync takes no checkpoint yet, so it has no lock yet, and the call is repeated.
   */
  async lockSecondaries(): Promise<() => Promise<void>> {
    const primary = await this.#primary();
    const secondaries = [...this.#members.keys()].filter((index) => index !== primary);
    await Promise.all(
      secondaries.map((index) => eventually(() => this.#ask(index, { fsync: 1, lock: true }))),
    );
    return async () => {
      await Promise.all(secondaries.map((index) => this.#ask(index, { fsyncUnlock: 1 })));
    };
  }

  /**
   * Has the primary fail commands, as MongoDB's failpoint `failCommand` describes it.
   * @param data null ends the failures
   * @returns resolves once one has failed
   */
  async failCommands(
    data: FailedCommands | null,
    mode: 'alwaysOn' | { times: number } | { skip: number } = 'alwaysOn',
  ): Promise<() => Promise<unknown>> {
    const primary = await this.#primary();
    const failing = data ? { mode, data } : { mode: 'off' };
    const { count } = await this.#ask(primary, { configureFailPoint: 'failCommand', ...failing });
    const once = { waitForFailPoint: 'failCommand', timesEntered: Number(count) + 1, maxTimeMS: 10_000 };
    return () => this.#ask(primary, once);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.process.stop()));
    await rm(this.#dir, { recursive: true, force: true });
  }

  async #add(index: number): Promise<void> {
    const place = { port: await findFreePort(), dbPath: await dbPathOf(join(this.#dir, String(index))) };
    this.#members.push({ ...place, process: await this.#launch(place) });
  }

  #launch({ port, dbPath }: Pick<Member, 'port' | 'dbPath'>): Promise<MongodProcess> {
    const testCommands = ['--setParameter', 'enableTestCommands=1'];
    const extraArguments = ['--replSet', name, '--wiredTigerCacheSizeGB', '0.25', ...testCommands];
    return launchMongod({ mongod: this.#mongod, port, dbPath, extraArguments });
  }

  async #initiate(electionTimeoutMillis: number): Promise<void> {
    const members = this.#members.map(({ port }, _id) => ({ _id, host: `127.0.0.1:${port}` }));
    await this.#ask(0, { replSetInitiate: { _id: name, members, settings: { electionTimeoutMillis } } });
    await this.#primary();
  }

  /** Resolves to the index of the primary; waits for one, because a member that starts again is elected seconds later. */
  #primary(): Promise<number> {
    return eventually(() => this.#findPrimary());
  }

  async #findPrimary(): Promise<number> {
    for (const index of this.#members.keys()) {
      const { isWritablePrimary } = (await this.#ask(index, { hello: 1 }).catch(() => ({}))) as {
        isWritablePrimary?: boolean;
      };
      if (isWritablePrimary) return index;
    }
    throw new Error('the set has no primary');
  }

  async #ask(index: number, command: Record<string, unknown>) {
    const uri = `mongodb://127.0.0.1:${this.#members[index]?.port}/?directConnection=true`;
    const client = new mongoose.mongo.MongoClient(uri, { serverSelectionTimeoutMS: 2000 });
    try {
      return await client.db('admin').command(command);
    } finally {
      await client.close();
    }
  }
}
