/** Ends, with the process that runs the tests, every process that they started and left running: a timeout holds up nothing. */
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
  /** In a worker this runs before each file. The MongoDB of the whole run, which was started before, is not among them. */
  beforeAll(): void {
    if (isWatching) return;
    isWatching = true;
    subscribe('child_process', remember);
    process.once('exit', killAll);
  },
};
