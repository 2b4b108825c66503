/** Ends every process that the tests left running when their own process ends, so that a timeout does not delay the run. */
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';

const running = new Set<ChildProcess>();

function remember(message: unknown): void {
  const { process: child } = message as { process: ChildProcess }; // as Node publishes it
  running.add(child);
  child.once('exit', () => running.delete(child));
}

function killAll(): void {
  for (const child of running) if (child.pid) child.kill('SIGKILL');
}

let isWatching = false;

export const mochaHooks = {
  /** In a worker this runs before each file. The run's MongoDB started earlier, so it is not included. */
  beforeAll(): void {
    if (isWatching) return;
    isWatching = true;
    subscribe('child_process', remember);
    process.once('exit', killAll);
  },
};
