/** Answers the calls of the client API about the schedules of a server, as a panel does. Schedules run only on request. */
import { Cron } from 'croner';
import { notFound, type PanelAnswer, refusal, toAtom } from './answers.ts';
import { addBackup } from './backup-calls.ts';
import type {
  AnswerServerCall,
  Panel,
  ReceivedServerRequest,
  ScheduleAttributes,
  ServerRoutes,
  TaskAttributes,
} from './panel.ts';

type AnswerScheduleCall = (
  call: ReceivedServerRequest,
  panel: Panel,
  schedule: ScheduleAttributes,
) => PanelAnswer;

export function findSchedule({ server, rest }: ReceivedServerRequest) {
  const [, id] = rest.split('/').map(Number);
  return server.schedules.find((schedule) => schedule.id === id);
}

const aboutSchedule =
  (answer: AnswerScheduleCall): AnswerServerCall =>
  (call, panel) => {
    const schedule = findSchedule(call);
    return schedule ? answer(call, panel, schedule) : notFound();
  };

const aboutTask = (
  answer: (call: ReceivedServerRequest, tasks: TaskAttributes[], index: number) => PanelAnswer,
) =>
  aboutSchedule((call, _panel, { tasks }) => {
    const [, , , id] = call.rest.split('/').map(Number);
    const index = tasks.findIndex((task) => task.id === id);
    return index < 0 ? notFound() : answer(call, tasks, index);
  });

function parseCron({ minute, hour, day_of_month, month, day_of_week }: ScheduleAttributes['cron']) {
  try {
    const expression = [minute, hour, day_of_month, month, day_of_week].join(' ');
    return new Cron(expression, { mode: '5-part', timezone: 'UTC', paused: true });
  } catch {
    return null;
  }
}

const presentTask = (task: TaskAttributes, index: number) => ({
  object: 'schedule_task',
  attributes: { ...task, sequence_id: index + 1 },
});

function presentSchedule({ tasks, ...schedule }: ScheduleAttributes, { clock }: Panel) {
  const next = parseCron(schedule.cron)?.nextRun(new Date(clock()));
  const next_run_at = next ? toAtom(next.getTime()) : null;
  const relationships = { tasks: { object: 'list', data: tasks.map(presentTask) } };
  return { object: 'server_schedule', attributes: { next_run_at, ...schedule, relationships } };
}

/** The fields that a call writes; null if their times are invalid or never come. */
function readSchedule({ body }: ReceivedServerRequest) {
  const { name, is_active, only_when_online, ...cron } = JSON.parse(body);
  return parseCron(cron)?.nextRun() ? { name, is_active, only_when_online, cron } : null;
}

const neverRuns = () => refusal(400, 'DisplayException');

function runTask({ action, payload }: TaskAttributes, call: ReceivedServerRequest, panel: Panel) {
  if (action === 'power') call.server.signal(payload);
  if (action === 'command') call.server.enter(payload);
  if (action === 'backup') addBackup(call, panel);
}

export const scheduleRoutes: ServerRoutes = {
  'GET schedules': ({ server }, panel) => ({
    body: { object: 'list', data: server.schedules.map((schedule) => presentSchedule(schedule, panel)) },
  }),
  'POST schedules'(call, panel) {
    const { server } = call;
    const written = readSchedule(call);
    if (!written) return neverRuns();
    const times = { last_run_at: null, created_at: toAtom(panel.clock()) };
    const schedule = { id: panel.newId('schedule'), ...written, is_processing: false, ...times, tasks: [] };
    server.schedules = [...server.schedules, schedule];
    return { body: presentSchedule(schedule, panel) };
  },
  'GET schedules/:id': aboutSchedule((_, panel, schedule) => ({ body: presentSchedule(schedule, panel) })),
  'POST schedules/:id': aboutSchedule((call, panel, schedule) => {
    const written = readSchedule(call);
    if (!written) return neverRuns();
    return { body: presentSchedule(Object.assign(schedule, written), panel) };
  }),
  'DELETE schedules/:id': aboutSchedule(({ server }, _panel, schedule) => {
    server.schedules = server.schedules.filter((other) => other !== schedule);
    return { status: 204 };
  }),
  'POST schedules/:id/execute': aboutSchedule((call, panel, schedule) => {
    let delayMs = 0;
    for (const task of schedule.tasks) {
      delayMs += task.time_offset * 1000;
      panel.after(delayMs, () => runTask(task, call, panel));
    }
    schedule.last_run_at = toAtom(panel.clock());
    return { status: 202, body: [] };
  }),
  'POST schedules/:id/tasks': aboutSchedule((call, panel, { tasks }) => {
    const { sequence_id = tasks.length + 1, ...written } = JSON.parse(call.body);
    const index = Math.min(sequence_id - 1, tasks.length);
    const task = { id: panel.newId('task'), ...written };
    tasks.splice(index, 0, task);
    return { body: presentTask(task, index) };
  }),
  'POST schedules/:id/tasks/:id': aboutTask((call, tasks, index) => {
    const task = { ...tasks[index], ...JSON.parse(call.body) };
    tasks[index] = task;
    return { body: presentTask(task, index) };
  }),
  'DELETE schedules/:id/tasks/:id': aboutTask((_, tasks, index) => {
    tasks.splice(index, 1);
    return { status: 204 };
  }),
};
