/** Finds the tasks of a schedule that a replacement keeps unchanged. */
import type { ScheduleTask, StoredTask } from '../panel-port.ts';

/** Callers cannot see the payload of an `other` task, so it is not compared. */
export const isEqualTask = (one: ScheduleTask, other: ScheduleTask | undefined) =>
  one.action === other?.action &&
  (one.action === 'other' || one.payload === other.payload) &&
  one.delaySeconds === other.delaySeconds &&
  one.continueOnFailure === other.continueOnFailure;

/** For each wanted task: the stored task to keep, or null if it must be written. Keeps the longest common subsequence. */
export function findKept(
  current: readonly StoredTask[],
  wanted: readonly ScheduleTask[],
): (StoredTask | null)[] {
  const countFrom = countKept(current, wanted);
  let at = 0;
  return wanted.map((task, to) => {
    while (
      at < current.length &&
      !isEqualAt(current, at, task) &&
      countFrom(at + 1, to) >= countFrom(at, to + 1)
    )
      at += 1;
    const kept = isEqualAt(current, at, task) ? current[at] : undefined;
    if (kept) at += 1;
    return kept ?? null;
  });
}

const isEqualAt = (current: readonly StoredTask[], at: number, task: ScheduleTask | undefined) => {
  const there = current[at];
  return there !== undefined && isEqualTask(there, task);
};

function countKept(current: readonly StoredTask[], wanted: readonly ScheduleTask[]) {
  const width = wanted.length + 1;
  const counts = new Uint16Array((current.length + 1) * width);
  const countFrom = (at: number, to: number) => counts[at * width + to] ?? 0;
  for (let at = current.length - 1; at >= 0; at -= 1)
    for (let to = wanted.length - 1; to >= 0; to -= 1)
      counts[at * width + to] = isEqualAt(current, at, wanted[to])
        ? countFrom(at + 1, to + 1) + 1
        : Math.max(countFrom(at + 1, to), countFrom(at, to + 1));
  return countFrom;
}
