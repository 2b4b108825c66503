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
  kill: { starting: ['offline'], running: ['offline'], stopping: ['offline'] },
};

export interface Machine {
  /** Ignores a signal that does not fit the present state, as a real node does. */
  signal(signal: string): void;
  /** Takes a console command; `stop` stops the server. */
  enter(command: string): void;
  state(): RunState;
  /** Since it reached `running`; 0 in any other state. */
  uptimeMs(): number;
  /** The last ones, oldest first. */
  commands: readonly string[];
  /** What its console shows, oldest first. */
  lines(): readonly string[];
  /** The same since its last start, as a file. */
  log(): string;
}

interface MachineOptions {
  clock: Clock;
  isRunning: boolean;
  log: GameLog;
  /** Whether it crashes, now that it starts. */
  isBroken(): boolean;
}

export function createMachine({ log, clock, ...options }: MachineOptions): Machine {
  const commands: { at: number; text: string }[] = [];
  const { isCrashing, bootedAt, ...run } = createRun({ clock, ...options });
  const write = () =>
    writeLines({ lines: linesOf(log, isCrashing()), log, commands, bootedAt: bootedAt(), now: clock() });
  return {
    ...run,
    get commands() {
      return commands.map(({ text }) => text);
    },
    lines: () => write().slice(-linesMax),
    log: () =>
      write()
        .map((line) => `${stripVTControlCharacters(line)}\n`)
        .join(''),
    enter(command) {
      commands.push({ at: clock(), text: command });
      commands.splice(0, commands.length - commandsMax);
      if (command === 'stop') run.signal('stop');
    },
  };
}

/** The states that the last signal leads through. */
function createRun({ clock, isRunning, isBroken }: Omit<MachineOptions, 'log'>) {
  const initial = isRunning ? 'running' : 'offline';
  let isCrashing = isBroken();
  let states: readonly RunState[] = [initial];
  let startedAt = clock();
  const step = () => Math.min(Math.floor((clock() - startedAt) / transitionMs), states.length - 1);
  const state = () => states[step()] ?? initial;
  return {
    isCrashing: () => isCrashing,
    state,
    signal(word: string) {
      const next = transitions[word]?.[state()];
      if (!next) return;
      const isStart = next.includes('starting');
      if (isStart) isCrashing = isBroken();
      states = isStart && isCrashing ? [...next, ...crash] : next;
      startedAt = clock();
    },
    /** Of the game itself: a restart stops it first, and one that runs at the start has run for a while. */
    bootedAt: () =>
      states.length === 1
        ? startedAt - ranBeforeMs
        : startedAt + Math.max(states.indexOf('starting'), 0) * transitionMs,
    uptimeMs: () =>
      state() === 'running' ? clock() - startedAt - states.indexOf('running') * transitionMs : 0,
  };
}

const linesOf = ({ lines, crashLines = [] }: GameLog, isCrashing: boolean) =>
  isCrashing ? [...lines, ...crashLines] : lines;

interface Written {
  lines: GameLog['lines'];
  log: GameLog;
  commands: readonly { at: number; text: string }[];
  bootedAt: number;
  now: number;
}

function writeLines({ lines, log, commands, bootedAt, now }: Written): string[] {
  const script = lines.map(([afterMs, text]) => ({ at: bootedAt + afterMs, text }));
  const answers = commands.flatMap(({ at, text }) =>
    [`> ${text}`, ...log.answer(text)].map((line) => ({ at, text: line })),
  );
  return [...script, ...answers]
    .filter(({ at }) => at <= now)
    .sort((one, other) => one.at - other.at)
    .map(({ at, text }) => text.replaceAll('%t', new Date(at).toISOString().slice(11, 19)));
}
