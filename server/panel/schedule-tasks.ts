/** What makes the tasks of a schedule those that are wanted, in the fewest calls: equal ones keep their place. */
import type { ScheduleTask, StoredTask } from '../../routers/panel-port.ts';
import type { ServerCall } from './server-api.ts';

/** `rest` is what follows the schedule in the path. */
export type TaskCall = Pick<ServerCall, 'json' | 'method'> & { rest: string };

export const isEqualTask = (one: ScheduleTask, other: ScheduleTask | undefined) =>
  one.action === other?.action &&
  one.payload === other.payload &&
  one.delaySeconds === other.delaySeconds &&
  one.continueOnFailure === other.continueOnFailure;

/** Between two tasks that stay. */
interface Gap {
  gone: StoredTask[];
  added: ScheduleTask[];
  /** The one that stays after it; undefined at the end. */
  next: StoredTask | undefined;
}

/** Deletions come first, as a panel takes ten tasks. */
export function differenceOf(current: readonly StoredTask[], wanted: readonly ScheduleTask[]): TaskCall[] {
  const places = new Map(current.map((task) => [task, task.sequence]));
  const shift = (from: number, by: number) => {
    for (const [task, place] of places) if (place >= from) places.set(task, place + by);
  };
  const gaps = findGaps(current, wanted);
  const deletions = gaps.flatMap(({ gone, added }) => gone.slice(added.length));
  const calls: TaskCall[] = deletions.map(({ id }) => ({ rest: `tasks/${id}`, method: 'DELETE' }));
  // After a deletion, the panel renumbers the tasks that follow.
  for (const task of deletions) {
    shift((places.get(task) ?? 0) + 1, -1);
    places.delete(task);
  }
  for (const { gone, added, next } of gaps)
    for (const [index, task] of added.entries()) {
      const changed = gone[index];
      const sequence_id = next && places.get(next);
      if (changed) calls.push({ rest: `tasks/${changed.id}`, json: bodyOf(task) });
      else calls.push({ rest: 'tasks', json: { ...bodyOf(task), ...(next && { sequence_id }) } });
      if (!changed && sequence_id !== undefined) shift(sequence_id, 1);
    }
  return calls;
}

const bodyOf = ({ action, payload, delaySeconds, continueOnFailure }: ScheduleTask) => ({
  action,
  payload,
  time_offset: delaySeconds,
  continue_on_failure: continueOnFailure,
});

/** By the longest common subsequence. */
function findGaps(current: readonly StoredTask[], wanted: readonly ScheduleTask[]): Gap[] {
  const kept = countKept(current, wanted);
  const gaps: Gap[] = [];
  let gap: Gap = { gone: [], added: [], next: undefined };
  for (let at = 0, to = 0; at < current.length || to < wanted.length; ) {
    const [task, other] = [current[at], wanted[to]];
    if (task && isEqualTask(task, other)) {
      gaps.push({ ...gap, next: task });
      gap = { gone: [], added: [], next: undefined };
      at += 1;
      to += 1;
    } else if (task && (!other || kept(at + 1, to) >= kept(at, to + 1))) {
      gap.gone.push(task);
      at += 1;
    } else if (other) {
      gap.added.push(other);
      to += 1;
    }
  }
  return [...gaps, gap];
}

/** How many can stay, of those from these indexes on. */
function countKept(current: readonly StoredTask[], wanted: readonly ScheduleTask[]) {
  const counts = new Map<string, number>();
  const countFrom = (at: number, to: number) => counts.get(`${at} ${to}`) ?? 0;
  for (let at = current.length - 1; at >= 0; at -= 1)
    for (let to = wanted.length - 1; to >= 0; to -= 1) {
      const task = current[at];
      const count =
        task && isEqualTask(task, wanted[to])
          ? countFrom(at + 1, to + 1) + 1
          : Math.max(countFrom(at + 1, to), countFrom(at, to + 1));
      counts.set(`${at} ${to}`, count);
    }
  return countFrom;
}
