/** One demo server's run state, which follows power signals over seconds of the service's clock, and its console. */
import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '../../../routers/ports.ts';
import type { GameLog } from './game-logs.ts';

type RunState = 'offline' | 'starting' | 'running' | 'stopping';

/** How long starting takes, and stopping. */
const transitionMs = 2_000;
const commandsMax = 20;
const ranBeforeMs = 600_000;
/** As many lines as a node keeps. */
const linesMax = 150;

/** What a server that starts comes to where something is wrong in its files. */
const crash: readonly RunState[] = [...Array<RunState>(10).fill('running'), 'offline'];

/** The states a signal leads through, by the state it finds. */
const transitions: Record<string, Partial<Record<RunState, readonly RunState[]>>> = {
  start: { offline: ['starting', 'running'] },
  stop: { starting: ['stopping', 'offline'], running: ['stopping', 'offline'] },
  restart: {
    offline: ['starting', 'running'],
    starting: ['stopping', 'starting', 'running'],
    running: ['stopping', 'starting', 'running'],
  },
};

interface MachineOptions {
  clock: Clock;
  isRunning: boolean;
  log: GameLog;
  /** Whether it crashes, now that it starts. */
  isBroken(): boolean;
}

export class Machine {
  readonly #options: MachineOptions;
  readonly #commands: { at: number; text: string }[] = [];
  /** Those that the last signal leads through. */
  #states: readonly RunState[];
  #startedAt: number;
  #isCrashing: boolean;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.#states = [options.isRunning ? 'running' : 'offline'];
    this.#startedAt = options.clock();
    this.#isCrashing = options.isBroken();
  }

  state(): RunState {
    const step = Math.floor((this.#options.clock() - this.#startedAt) / transitionMs);
    return this.#states[Math.min(step, this.#states.length - 1)] ?? 'offline';
  }

  /** Ignores a signal that does not fit the present state, as a real node does. */
  signal(word: string): void {
    const next = transitions[word]?.[this.state()];
    if (!next) return;
    const isStart = next.includes('starting');
    if (isStart) this.#isCrashing = this.#options.isBroken();
    this.#states = isStart && this.#isCrashing ? [...next, ...crash] : next;
    this.#startedAt = this.#options.clock();
  }

  /** Takes a console command; `stop` stops the server. */
  enter(text: string): void {
    this.#commands.push({ at: this.#options.clock(), text });
    this.#commands.splice(0, this.#commands.length - commandsMax);
    if (text === 'stop') this.signal('stop');
  }

  /** Since it reached `running`; 0 in any other state. */
  uptimeMs(): number {
    if (this.state() !== 'running') return 0;
    return this.#options.clock() - this.#startedAt - this.#states.indexOf('running') * transitionMs;
  }

  /** What its console shows, oldest first. */
  lines(): readonly string[] {
    return this.#write().slice(-linesMax);
  }

  /** The same since its last start, as a file. */
  log(): string {
    return this.#write()
      .map((line) => `${stripVTControlCharacters(line)}\n`)
      .join('');
  }

  #write(): string[] {
    const { lines, crashLines = [], answer } = this.#options.log;
    const now = this.#options.clock();
    // A restart stops the game first, and one that runs at the start has run for a while.
    const bootedAt =
      this.#states.length === 1
        ? this.#startedAt - ranBeforeMs
        : this.#startedAt + Math.max(this.#states.indexOf('starting'), 0) * transitionMs;
    const script = [...lines, ...(this.#isCrashing ? crashLines : [])].map(([afterMs, text]) => ({
      at: bootedAt + afterMs,
      text,
    }));
    const answers = this.#commands.flatMap(({ at, text }) =>
      [`> ${text}`, ...answer(text)].map((line) => ({ at, text: line })),
    );
    return [...script, ...answers]
      .filter(({ at }) => at <= now)
      .sort((one, other) => one.at - other.at)
      .map(({ at, text }) => text.replaceAll('%t', new Date(at).toISOString().slice(11, 19)));
  }
}
