/** Which tasks of a schedule stay as they are when others are wanted. */
import type { ScheduleTask, StoredTask } from '../panel-port.ts';

/** The action of a task of `other` is not shown, so it cannot be compared. */
export const isEqualTask = (one: ScheduleTask, other: ScheduleTask | undefined) =>
  one.action === other?.action &&
  (one.action === 'other' || one.payload === other.payload) &&
  one.delaySeconds === other.delaySeconds &&
  one.continueOnFailure === other.continueOnFailure;

/** For each that is wanted the one that stays, or null where it has to be written: by the longest common subsequence. */
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

/** How many can stay, of those from these indexes on. */
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
