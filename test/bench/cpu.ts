/** What the kernel says a process has used: CPU time and memory. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Microseconds of CPU, in user and system mode, of all threads so far. */
export function cpuMicroseconds(pid: number): number {
  // The second field is the command in brackets, which may hold spaces; user and system time are fields 14 and 15.
  const afterCommand = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
  const [userTicks = 0, systemTicks = 0] = afterCommand.split(' ').slice(11, 13).map(Number);
  return ((userTicks + systemTicks) * 1_000_000) / ticksPerSecond;
}

/** Resident memory now and at its highest, in MB. */
export function memoryMegabytes(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (field: string) =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return { now: megabytes('VmRSS'), highest: megabytes('VmHWM') };
}
