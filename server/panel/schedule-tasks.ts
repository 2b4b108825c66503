/** Plans the fewest calls that turn the tasks of a schedule into the wanted ones; equal tasks keep their place. */
import type { ScheduleTask, StoredTask } from '../../routers/panel-port.ts';
import { findKept } from '../../routers/servers/schedule-tasks.ts';
import type { ServerCall } from './server-api.ts';

export type TaskCall = Pick<ServerCall, 'json' | 'method'> & { rest: string };

interface Gap {
  gone: StoredTask[];
  added: ScheduleTask[];
  next: StoredTask | undefined;
}

/** Deletions come first, because a panel accepts at most ten tasks. */
export function planTaskCalls(current: readonly StoredTask[], wanted: readonly ScheduleTask[]): TaskCall[] {
  const sequences = new Map(current.map((task) => [task, task.sequence]));
  const shift = (from: number, by: number) => {
    for (const [task, place] of sequences) if (place >= from) sequences.set(task, place + by);
  };
  const gaps = findGaps(current, wanted);
  const deletions = gaps.flatMap(({ gone, added }) => gone.slice(added.length));
  const calls: TaskCall[] = deletions.map(({ id }) => ({ rest: `tasks/${id}`, method: 'DELETE' }));
  // After a deletion, the panel renumbers the tasks that follow.
  for (const task of deletions) {
    shift((sequences.get(task) ?? 0) + 1, -1);
    sequences.delete(task);
  }
  for (const { gone, added, next } of gaps)
    for (const [index, task] of added.entries()) {
      const changed = gone[index];
      const sequence_id = next && sequences.get(next);
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

function findGaps(current: readonly StoredTask[], wanted: readonly ScheduleTask[]): Gap[] {
  const kept = findKept(current, wanted);
  const gaps: Gap[] = [];
  let at = 0;
  let added: ScheduleTask[] = [];
  for (const [index, task] of wanted.entries()) {
    const next = kept[index];
    if (!next) {
      added.push(task);
      continue;
    }
    const place = current.indexOf(next);
    gaps.push({ gone: current.slice(at, place), added, next });
    at = place + 1;
    added = [];
  }
  return [...gaps, { gone: current.slice(at), added, next: undefined }];
}
