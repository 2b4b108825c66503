/** How a panel answers the calls of its client API about the schedules of a server, which run when they are told to. */
import { Cron } from 'croner';
import { z } from 'zod';
import { parseJson } from '../parse-json.ts';
import { invalidBody, notFound, type PanelAnswer, refusal } from './answers.ts';
import type { ScheduleAttributes, TaskAttributes } from './attributes.ts';
import { answerNewBackup, toAtom } from './backup-calls.ts';
import { type EmulatedPanel, onNode, type ServerCall } from './emulated-panel.ts';

const field = z.string().trim().min(1).max(191);

const ScheduleWrite = z
  .object({
    name: field,
    minute: field,
    hour: field,
    day_of_month: field,
    month: field,
    day_of_week: field,
    is_active: z.boolean(),
    only_when_online: z.boolean().default(false),
  })
  .transform(({ name, is_active, only_when_online, ...cron }) => ({
    name,
    is_active,
    only_when_online,
    cron,
  }));

const TaskWrite = z.object({
  action: z.enum(['command', 'power', 'backup']),
  payload: z.string().trim().default(''),
  time_offset: z.int().min(0).max(900),
  continue_on_failure: z.boolean().default(false),
  sequence_id: z.int().min(1).optional(),
});

const tasksMax = 10;

/** Null where it does not parse. */
function parseCron({ minute, hour, day_of_month, month, day_of_week }: ScheduleAttributes['cron']) {
  try {
    const expression = [minute, hour, day_of_month, month, day_of_week].join(' ');
    return new Cron(expression, { mode: '5-part', timezone: 'UTC', paused: true });
  } catch {
    return null;
  }
}

function presentSchedule({ tasks, ...schedule }: ScheduleAttributes, { clock }: EmulatedPanel) {
  const next = parseCron(schedule.cron)?.nextRun(new Date(clock()));
  const data = tasks
    .toSorted((one, other) => one.sequence_id - other.sequence_id)
    .map((attributes) => ({ object: 'schedule_task', attributes }));
  const next_run_at = next ? toAtom(next.getTime()) : null;
  const relationships = { tasks: { object: 'list', data } };
  return { object: 'server_schedule', attributes: { ...schedule, next_run_at, relationships } };
}

const schedulesOf = ({ server }: ServerCall, { schedules }: EmulatedPanel) =>
  schedules.get(server.identifier) ?? [];

const nextId = (known: readonly { id: number }[]) => Math.max(0, ...known.map(({ id }) => id)) + 1;

/** @param schedule the one that is changed; null: a new one */
function writeSchedule(
  call: ServerCall,
  panel: EmulatedPanel,
  schedule: ScheduleAttributes | null,
): PanelAnswer {
  const { data: written } = ScheduleWrite.safeParse(parseJson(call.body));
  if (!written) return invalidBody();
  if (!parseCron(written.cron)) return refusal(400, 'DisplayException');
  const now = toAtom(panel.clock());
  if (schedule) {
    const is_processing = schedule.is_processing && schedule.is_active === written.is_active;
    Object.assign(schedule, written, { is_processing, updated_at: now });
    return { body: presentSchedule(schedule, panel) };
  }
  const times = { last_run_at: null, created_at: now, updated_at: now };
  const created = {
    id: nextId([...panel.schedules.values()].flat()),
    ...written,
    is_processing: false,
    ...times,
    tasks: [],
  };
  panel.schedules.set(call.server.identifier, [...schedulesOf(call, panel), created]);
  return { body: presentSchedule(created, panel) };
}

/** Moves those that have this place, and those after it. */
function shift(tasks: readonly TaskAttributes[], from: number, by: number) {
  for (const task of tasks) if (task.sequence_id >= from) task.sequence_id += by;
}

interface TaskCall extends ServerCall {
  schedule: ScheduleAttributes;
  /** Null: a new one. */
  task: TaskAttributes | null;
}

function writeTask({ schedule, task, ...call }: TaskCall, panel: EmulatedPanel): PanelAnswer {
  const { data } = TaskWrite.safeParse(parseJson(call.body));
  if (!data || (data.action !== 'backup' && !data.payload)) return invalidBody();
  const { tasks } = schedule;
  if (!task && tasks.length >= tasksMax) return refusal(400, 'ServiceLimitExceededException');
  if (data.action === 'backup' && call.server.feature_limits.backups === 0)
    return refusal(403, 'HttpForbiddenException');
  if (task) return { body: { object: 'schedule_task', attributes: Object.assign(task, data) } };
  const last = Math.max(0, ...tasks.map(({ sequence_id }) => sequence_id)) + 1;
  const sequence_id = Math.min(data.sequence_id ?? last, last);
  shift(tasks, sequence_id, 1);
  const all = [...panel.schedules.values()].flat().flatMap((other) => other.tasks);
  const created = { ...data, id: nextId(all), sequence_id, is_queued: false };
  tasks.push(created);
  return { body: { object: 'schedule_task', attributes: created } };
}

const execute = (schedule: ScheduleAttributes): ReturnType<typeof onNode> =>
  onNode((call, panel) => {
    const isOff = ['offline', 'stopping'].includes(panel.resourcesOf(call.server).current_state);
    const tasks = schedule.tasks.toSorted((one, other) => one.sequence_id - other.sequence_id);
    const finish = () =>
      Object.assign(schedule, { is_processing: false, last_run_at: toAtom(panel.clock()) });
    let delayMs = 0;
    for (const [index, task] of (schedule.only_when_online && isOff ? [] : tasks).entries()) {
      // The first one runs at once.
      if (index > 0) delayMs += task.time_offset * 1000;
      const run = () => runTask(task, call, panel);
      if (delayMs === 0) run();
      else setTimeout(run, delayMs).unref();
    }
    schedule.is_processing = delayMs > 0;
    if (delayMs === 0) finish();
    else setTimeout(finish, delayMs).unref();
    return { status: 202, body: [] };
  });

function runTask({ action, payload }: TaskAttributes, call: ServerCall, panel: EmulatedPanel): void {
  const { identifier } = call.server;
  if (action === 'power') panel.onSignal(identifier, payload);
  if (action === 'command') panel.onCommand(identifier, payload);
  if (action === 'backup') answerNewBackup({ ...call, body: '' }, panel);
}

export function answerScheduleCall(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const { method } = call;
  const [, id, rest = '', taskId] =
    /^schedules(?:\/(\d+)(?:\/(execute|tasks)(?:\/(\d+))?)?)?$/.exec(call.rest) ?? [];
  const all = schedulesOf(call, panel);
  if (id === undefined && method === 'POST') return writeSchedule(call, panel, null);
  if (id === undefined)
    return { body: { object: 'list', data: all.map((schedule) => presentSchedule(schedule, panel)) } };
  const schedule = all.find((known) => known.id === Number(id));
  const task = schedule?.tasks.find((known) => known.id === Number(taskId));
  if (!schedule || (taskId !== undefined && !task)) return notFound();
  const route = `${method} ${rest}${task ? '/task' : ''}`;
  return routes[route]?.({ ...call, schedule, task: task ?? null }, panel) ?? notFound();
}

const routes: Partial<Record<string, (call: TaskCall, panel: EmulatedPanel) => PanelAnswer>> = {
  'GET ': ({ schedule }, panel) => ({ body: presentSchedule(schedule, panel) }),
  'POST ': ({ schedule, ...call }, panel) => writeSchedule(call, panel, schedule),
  'DELETE ': ({ schedule, server }, { schedules }) => {
    const others = (schedules.get(server.identifier) ?? []).filter((other) => other !== schedule);
    schedules.set(server.identifier, others);
    return { status: 204 };
  },
  'POST execute': ({ schedule, ...call }, panel) =>
    schedule.tasks.length === 0 ? refusal(400, 'DisplayException') : execute(schedule)(call, panel),
  'POST tasks': writeTask,
  'POST tasks/task': writeTask,
  'DELETE tasks/task': ({ schedule, task }) => {
    schedule.tasks = schedule.tasks.filter((other) => other !== task);
    if (task) shift(schedule.tasks, task.sequence_id + 1, -1);
    return { status: 204 };
  },
};
