/** Which processors the servers and the load have to themselves, so that neither takes time from the other. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Processors {
  /** What starts a server: `taskset` and its arguments, or nothing where there is none. */
  serverPrefix: string[];
  description: string;
}

/** Gives the first processor to the servers and the others to this process and all it starts from now on. */
export function divideProcessors(): Processors {
  const [forServers, ...forLoad] = ownProcessors();
  const isDivided = forLoad.length > 0 && moveTo(forLoad);
  if (!isDivided) return { serverPrefix: [], description: 'not pinned: no taskset, or one processor only' };
  return {
    serverPrefix: ['taskset', '-c', String(forServers)],
    description: `servers on processor ${forServers}, load and MongoDB on ${forLoad.join(', ')}`,
  };
}

/** The processors this process may run on. */
export function ownProcessors(): number[] {
  const list = /^Cpus_allowed_list:\s+(.+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  return list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** Moves this process there and says whether it could: where there is no taskset it stays. */
function moveTo(processors: number[]): boolean {
  try {
    execFileSync('taskset', ['-cp', processors.join(','), String(process.pid)]);
    return true;
  } catch {
    return false;
  }
}
