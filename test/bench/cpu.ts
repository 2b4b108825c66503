/** What the kernel says a process has used: CPU time and memory. */
import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds of CPU of all threads so far. */
export const cpuMicroseconds = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + nanosecondsOf(pid, thread), 0) / 1000;

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
