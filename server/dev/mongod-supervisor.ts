/** Restarts a mongod that exits unexpectedly, with exponential backoff. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { MongodProcess } from './mongod-process.ts';
import { lastLine, type ReportProgress } from './progress.ts';

const backoffMs = { first: 250, max: 32_000 };

/** The backoff starts over for a mongod that ran this long. */
const stableAfterMs = 60_000;

const hasExited = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

export class MongodSupervisor {
  readonly #launch: () => Promise<MongodProcess>;
  readonly #reportProgress: ReportProgress;
  readonly #stopping = new AbortController();
  #current: MongodProcess | null = null;
  #startedAt = 0;
  #backoffMs = backoffMs.first;
  #restarting: Promise<void> = Promise.resolve();

  /** Rejects when the first launch fails; later ones are retried. */
  static async start(
    launch: () => Promise<MongodProcess>,
    reportProgress: ReportProgress,
  ): Promise<MongodSupervisor> {
    const supervisor = new MongodSupervisor(launch, reportProgress);
    await supervisor.#start();
    return supervisor;
  }

  constructor(launch: () => Promise<MongodProcess>, reportProgress: ReportProgress) {
    this.#launch = launch;
    this.#reportProgress = reportProgress;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#restarting;
    await this.#current?.stop();
  }

  async #start(): Promise<void> {
    this.#current = await this.#launch();
    this.#startedAt = performance.now();
    const { mongodProcess } = this.#current;
    if (mongodProcess && hasExited(mongodProcess)) throw new Error('mongod exited right after its start');
    mongodProcess?.once('exit', () => {
      if (!this.#stopping.signal.aborted) this.#restarting = this.#restart();
    });
  }

  async #restart(): Promise<void> {
    this.#reportProgress('The embedded MongoDB exited unexpectedly; restarting it ...');
    if (performance.now() - this.#startedAt > stableAfterMs) this.#backoffMs = backoffMs.first;
    for (;;) {
      const pauseMs = this.#backoffMs;
      this.#backoffMs = Math.min(2 * pauseMs, backoffMs.max);
      // stop() cuts the pause short.
      await delay(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      if (this.#stopping.signal.aborted || (await this.#tryStart())) return;
    }
  }

  async #tryStart(): Promise<boolean> {
    try {
      await this.#start();
      this.#reportProgress('The embedded MongoDB is running again.');
      return true;
    } catch (error) {
      this.#reportProgress(`${lastLine(error)}; retrying in ${Math.ceil(this.#backoffMs / 1000)} s ...`);
      return false;
    }
  }
}
