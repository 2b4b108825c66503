/** Which processors the servers and the load have to themselves, so that neither takes time from the other. */
import { execFileSync } from 'node:child_process';

export interface Processors {
  /** What starts a server: `taskset` and its arguments, or nothing where there is none. */
  serverPrefix: string[];
  description: string;
}

/** Gives the first processor to the servers and the others to this process and all it starts from now on. */
export function divideProcessors(): Processors {
  const [forServers, ...forLoad] = readProcessors();
  if (forServers === undefined || forLoad.length === 0)
    return { serverPrefix: [], description: 'not pinned: no taskset, or one processor only' };
  taskset(['-cp', forLoad.join(','), String(process.pid)]);
  return {
    serverPrefix: ['taskset', '-c', String(forServers)],
    description: `servers on processor ${forServers}, load and MongoDB on ${forLoad.join(', ')}`,
  };
}

/** The processors this process may run on; none where taskset is missing. */
function readProcessors(): number[] {
  const list = taskset(['-cp', String(process.pid)])?.match(/list: (.+)/)?.[1] ?? '';
  return list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return part ? Array.from({ length: last - first + 1 }, (_, index) => first + index) : [];
  });
}

function taskset(args: string[]): string | null {
  try {
    return execFileSync('taskset', args, { encoding: 'utf8' });
  } catch {
    return null;
  }
}
