/** How a panel answers the calls of its client API about the schedules of a server, which run when they are told to. */
import { Cron } from 'croner';
import { z } from 'zod';
import { parseJson } from '../parse-json.ts';
import { invalidBody, notFound, type PanelAnswer, refusal } from './answers.ts';
import { answerNewBackup, toAtom } from './backup-calls.ts';
import {
  type AnswerServerCall,
  type EmulatedPanel,
  onNode,
  type ScheduleAttributes,
  type ServerCall,
  type TaskAttributes,
} from './emulated-panel.ts';
import { withinLimit } from './server-limits.ts';

const field = z.string().trim().min(1).max(191);

const ScheduleWrite = z
  .object({
    name: field,
    minute: field,
    hour: field,
    day_of_month: field,
    // It has no rule of its own, and fails without.
    month: field.optional(),
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
  time_offset: z.number().min(0).max(900).transform(Math.round),
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
  return { object: 'server_schedule', attributes: { next_run_at, ...schedule, relationships } };
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
  const { month } = written.cron;
  if (month === undefined) return refusal(500, 'TypeError');
  const change = { ...written, cron: { ...written.cron, month } };
  if (!parseCron(change.cron)?.nextRun()) return refusal(400, 'DisplayException');
  const now = toAtom(panel.clock());
  if (schedule) {
    const is_processing = schedule.is_processing && schedule.is_active === written.is_active;
    Object.assign(schedule, change, { is_processing, updated_at: now });
    return { body: presentSchedule(schedule, panel) };
  }
  const times = { last_run_at: null, created_at: now, updated_at: now };
  const created = {
    id: nextId([...panel.schedules.values()].flat()),
    ...change,
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

/** Runs the first task at once, whose refusal it answers, and the others after their delays. */
function execute({ schedule, ...call }: TaskCall, panel: EmulatedPanel): PanelAnswer {
  const tasks = schedule.tasks.toSorted((one, other) => one.sequence_id - other.sequence_id);
  const finish = () => Object.assign(schedule, { is_processing: false, last_run_at: toAtom(panel.clock()) });
  function runFrom(index: number): PanelAnswer {
    const task = tasks[index];
    const answer = task ? runTask(task, call, panel) : accepted;
    const hasFailed = (answer.status ?? 200) >= 400 && !task?.continue_on_failure;
    const next = tasks[index + 1];
    if (hasFailed || !next) {
      finish();
      return hasFailed ? answer : accepted;
    }
    if (next.time_offset > 0) setTimeout(() => runFrom(index + 1), next.time_offset * 1000).unref();
    else runFrom(index + 1);
    return accepted;
  }
  if (tasks.length === 0) return refusal(400, 'DisplayException');
  schedule.is_processing = true;
  return runFrom(schedule.only_when_online && isOff(call, panel) ? tasks.length : 0);
}

const accepted: PanelAnswer = { status: 202, body: [] };

/** A panel takes a server whose node is away for one that is off. */
const isOff = ({ server }: ServerCall, { conditions, resourcesOf }: EmulatedPanel) =>
  conditions.deadNodes.has(server.node) ||
  ['offline', 'stopping'].includes(resourcesOf(server).current_state);

function runTask({ action, payload }: TaskAttributes, call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const answer = { power: answerPowerTask, command: answerCommandTask, backup: answerBackupTask }[action];
  return onNode(answer ? answer(payload) : () => accepted)({ ...call, body: '' }, panel);
}

const answerPowerTask =
  (signal: string): AnswerServerCall =>
  ({ server }, panel) => {
    if (!powerSignals.includes(signal)) return refusal(422, 'DaemonConnectionException');
    panel.onSignal(server.identifier, signal);
    return accepted;
  };

const powerSignals = ['start', 'stop', 'restart', 'kill'];

const answerCommandTask =
  (command: string): AnswerServerCall =>
  ({ server }, panel) => {
    // Pelican does not look at its node's answer.
    if (panel.dialect === 'pterodactyl' && panel.resourcesOf(server).current_state === 'offline')
      return refusal(502, 'DaemonConnectionException');
    panel.onCommand(server.identifier, command);
    return accepted;
  };

const answerBackupTask = (): AnswerServerCall => (call, panel) =>
  withinLimit('POST backups', call, { panel, answer: () => answerNewBackup(true)(call, panel) });

export function answerScheduleCall(call: ServerCall, panel: EmulatedPanel): PanelAnswer {
  const { method } = call;
  const [isKnown, id, rest = '', taskId] =
    /^schedules(?:\/(\d+)(?:\/(execute|tasks)(?:\/(\d+))?)?)?$/.exec(call.rest) ?? [];
  if (isKnown === undefined) return notFound();
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
  'POST execute': execute,
  'POST tasks': writeTask,
  'POST tasks/task': writeTask,
  'DELETE tasks/task': ({ schedule, task }) => {
    schedule.tasks = schedule.tasks.filter((other) => other !== task);
    if (task) shift(schedule.tasks, task.sequence_id + 1, -1);
    return { status: 204 };
  },
};
