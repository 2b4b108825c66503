/** The processors: which ones servers and load have to themselves, and what a process has used of them and of memory. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Microseconds of CPU so far, of all threads that have not ended. */
export const cpuMicroseconds = (pid: number): number =>
  sum(readdirSync(`/proc/${pid}/task`).map((thread) => nanosecondsOf(pid, thread))) / 1000;

/** The kernel's own account, which is exact where that of /proc/PID/stat is in hundredths of a second. */
const nanosecondsOf = (pid: number, thread: string) =>
  Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);

/** In which Linux reports times to programs (USER_HZ). */
const ticksPerSecond = 100;

/**
 * Microseconds of CPU so far, in hundredths of a second, with those of threads that have ended: MongoDB has one for each
 * connection.
 */
export function processMicroseconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may hold anything; utime and stime are the 12th and 13th fields after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / ticksPerSecond;
}

/** Of processes. */
export const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );

/** A process and all that came of it. */
export const familyOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(familyOf)];

export const commandLineOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8');

/** Whether a process is there, and has not ended without its parent having taken note. */
export function isAlive(pid: number): boolean {
  try {
    return /^State:\s+[^ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Resident memory now and at its highest, in MB. */
export function memoryMegabytes(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (field: string) =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return { now: megabytes('VmRSS'), highest: megabytes('VmHWM') };
}

/** Milliseconds that the processors of this very process have been busy, and have had, since the machine's start. */
export function readOwnProcessors() {
  const all = cpus();
  const times = ownProcessors().flatMap((processor) => all[processor]?.times ?? []);
  const had = sum(times.flatMap((time) => Object.values(time)));
  return { had, busy: had - sum(times.map(({ idle }) => idle)) };
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

interface Processors {
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
function ownProcessors(): number[] {
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
