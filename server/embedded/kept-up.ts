/** Keeps a mongod up: one that ends by itself is started again on its data, after pauses that grow while it keeps ending. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { MongodProcess } from './mongod-process.ts';
import { lastLine, type Say } from './say.ts';

const pausesMs = { first: 250, longest: 32_000 };

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/** One that has been up for so long is not expected to end again at once. */
const steadyMs = 60_000;

export class KeptUp {
  readonly #launch: () => Promise<MongodProcess>;
  readonly #say: Say;
  readonly #end = new AbortController();
  #current: MongodProcess | null = null;
  #upSince = 0;
  #pauseMs = pausesMs.first;
  #restarting: Promise<void> = Promise.resolve();

  /** Resolves once it is up for the first time; fails when that fails. */
  static async start(launch: () => Promise<MongodProcess>, say: Say): Promise<KeptUp> {
    const kept = new KeptUp(launch, say);
    await kept.#start();
    return kept;
  }

  constructor(launch: () => Promise<MongodProcess>, say: Say) {
    this.#launch = launch;
    this.#say = say;
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#restarting;
    await this.#current?.stop();
  }

  async #start(): Promise<void> {
    this.#current = await this.#launch();
    this.#upSince = performance.now();
    const { mongodProcess } = this.#current;
    if (mongodProcess && hasEnded(mongodProcess)) throw new Error('mongod ended as soon as it was up');
    mongodProcess?.once('exit', () => {
      if (!this.#end.signal.aborted) this.#restarting = this.#restart();
    });
  }

  async #restart(): Promise<void> {
    this.#say('The embedded MongoDB ended unexpectedly; starting it again ...');
    if (performance.now() - this.#upSince > steadyMs) this.#pauseMs = pausesMs.first;
    for (;;) {
      const pauseMs = this.#pauseMs;
      this.#pauseMs = Math.min(2 * pauseMs, pausesMs.longest);
      // An end cuts the pause short.
      await delay(pauseMs, undefined, { signal: this.#end.signal }).catch(() => {});
      if (this.#end.signal.aborted || (await this.#hasStarted())) return;
    }
  }

  async #hasStarted(): Promise<boolean> {
    try {
      await this.#start();
      this.#say('The embedded MongoDB is up again.');
      return true;
    } catch (failure) {
      this.#say(`${lastLine(failure)}; trying again in ${Math.ceil(this.#pauseMs / 1000)} s ...`);
      return false;
    }
  }
}
