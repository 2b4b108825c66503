/** The run state of one demo server, which follows power signals over seconds of the service's clock. */
import type { Clock } from '../../../routers/ports.ts';

export type RunState = 'offline' | 'starting' | 'running' | 'stopping';

/** Our own API never sends `kill`. */
export const demoSignals = ['start', 'stop', 'restart', 'kill'] as const;
type DemoSignal = (typeof demoSignals)[number];

/** How long starting takes, and stopping. */
const transitionMs = 2_000;

/** The states a signal leads through, by the state it finds. */
const transitions: Record<DemoSignal, Partial<Record<RunState, readonly RunState[]>>> = {
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
  /** Ignores a signal that does not fit the present state, as a real node does. */
  send(signal: DemoSignal): void;
  state(): RunState;
  /** Since it reached `running`; 0 in any other state. */
  uptimeMs(): number;
}

export function createRunState(clock: Clock, isRunning: boolean): RunningServer {
  const initial = isRunning ? 'running' : 'offline';
  let states: readonly RunState[] = [initial];
  let startedAt = clock();
  const step = () => Math.min(Math.floor((clock() - startedAt) / transitionMs), states.length - 1);
  const state = () => states[step()] ?? initial;
  return {
    state,
    send(signal) {
      const next = transitions[signal][state()];
      if (!next) return;
      states = next;
      startedAt = clock();
    },
    uptimeMs: () => (state() === 'running' ? clock() - startedAt - step() * transitionMs : 0),
  };
}
