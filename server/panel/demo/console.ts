/** The console of one demo server: it shows its last commands, and `stop` stops the server. */
import { notRunning } from './errors.ts';
import type { RunningServer } from './run-state.ts';

const linesMax = 20;

export function createConsole(run: RunningServer) {
  const lines: string[] = [];
  return {
    /** The last commands, oldest first. */
    lines: lines as readonly string[],
    enter(command: string) {
      if (run.state() === 'offline') throw notRunning();
      lines.push(command);
      lines.splice(0, lines.length - linesMax);
      if (command === 'stop') run.send('stop');
    },
  };
}
