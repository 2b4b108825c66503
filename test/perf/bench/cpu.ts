/** What the kernel says a process has used, CPU time and memory, and how busy the processors were. */
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { ownProcessors } from './processors.ts';

/** Microseconds of CPU of all threads so far. */
export const cpuMicroseconds = (pid: number): number =>
  sum(readdirSync(`/proc/${pid}/task`).map((thread) => nanosecondsOf(pid, thread))) / 1000;

/** The kernel's own account, which is exact where that of /proc/PID/stat is in hundredths of a second. */
const nanosecondsOf = (pid: number, thread: string) =>
  Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);

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
