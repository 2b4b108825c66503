/** The run state of one demo server: follows the signals at a game server's pace, by the service's clock. */
import type { Clock } from '../../routers/ports.ts';

export type RunState = 'offline' | 'starting' | 'running' | 'stopping';

/** `kill` is the panel's; our own API never sends it. */
export const demoSignals = ['start', 'stop', 'restart', 'kill'] as const;
type DemoSignal = (typeof demoSignals)[number];

/** How long starting takes, and stopping. */
const transitionMs = 2_000;

/** The states that a signal leads through, one after the other. */
const courses: Record<DemoSignal, Partial<Record<RunState, readonly RunState[]>>> = {
  start: { offline: ['starting', 'running'] },
  stop: { starting: ['stopping', 'offline'], running: ['stopping', 'offline'] },
  restart: {
    offline: ['starting', 'running'],
    starting: ['stopping', 'starting', 'running'],
    running: ['stopping', 'starting', 'running'],
  },
  kill: { starting: ['offline'], running: ['offline'], stopping: ['offline'] },
};

export interface RunningServer {
  /** A signal that does not fit the present state is taken and does nothing, as on a real node. */
  take(signal: DemoSignal): void;
  state(): RunState;
  /** Since it reached `running`; 0 in any other state. */
  uptimeMs(): number;
}

export function createRunState(clock: Clock, isRunning: boolean): RunningServer {
  const initial = isRunning ? 'running' : 'offline';
  let course: readonly RunState[] = [initial];
  let begunAt = clock();
  const step = () => Math.min(Math.floor((clock() - begunAt) / transitionMs), course.length - 1);
  const state = () => course[step()] ?? initial;
  return {
    state,
    take(signal) {
      const next = courses[signal][state()];
      if (!next) return;
      course = next;
      begunAt = clock();
    },
    uptimeMs: () => (state() === 'running' ? clock() - begunAt - step() * transitionMs : 0),
  };
}
