/** How a panel refuses calls about the schedules of a server, and runs their tasks. */
import { z } from 'zod';
import { notFound, type PanelAnswer, refusal, toAtom } from '../../../server/panel/demo/answers.ts';
import { addBackup } from '../../../server/panel/demo/backup-calls.ts';
import type { ScheduleAttributes, TaskAttributes } from '../../../server/panel/demo/panel.ts';
import { findSchedule } from '../../../server/panel/demo/schedule-calls.ts';
import { answerServerCall } from '../../../server/panel/demo/server-calls.ts';
import { parseJson } from '../../../server/panel/parse-json.ts';
import { invalidBody } from './answers.ts';
import {
  type EmulatedCall,
  type EmulatedPanel,
  type Override,
  type Overrides,
  refuseForNode,
} from './emulated-panel.ts';
import { withinLimit } from './server-limits.ts';

const field = z.string().trim().min(1).max(191);

const ScheduleWrite = z.object({
  name: field,
  minute: field,
  hour: field,
  day_of_month: field,
  // The panel does not validate it, and fails without it.
  month: field.optional(),
  day_of_week: field,
  is_active: z.boolean(),
  only_when_online: z.boolean().default(false),
});

const TaskWrite = z.object({
  action: z.enum(['command', 'power', 'backup']),
  payload: z.string().trim().default(''),
  time_offset: z.number().min(0).max(900).transform(Math.round),
  continue_on_failure: z.boolean().default(false),
  sequence_id: z.int().min(1).optional(),
});

const tasksMax = 10;

/** Writes it like the demo panel, with the body that the panel has parsed. */
const writeThroughDemoPanel = (call: EmulatedCall, panel: EmulatedPanel, written: object): PanelAnswer =>
  answerServerCall({ ...call, body: JSON.stringify(written) }, panel);

const writeSchedule: Override = (call, panel) => {
  const { data } = ScheduleWrite.safeParse(parseJson(call.body));
  if (!data) return invalidBody();
  return data.month === undefined ? refusal(500, 'TypeError') : writeThroughDemoPanel(call, panel, data);
};

type OverrideSchedule = (
  call: EmulatedCall,
  panel: EmulatedPanel,
  schedule: ScheduleAttributes,
) => PanelAnswer | null;

const aboutSchedule =
  (override: OverrideSchedule): Override =>
  (call, panel) => {
    const schedule = findSchedule(call);
    return schedule ? override(call, panel, schedule) : notFound();
  };

/** Switching it on or off ends a run. */
const changeSchedule = aboutSchedule((call, panel, schedule) => {
  const { is_active } = schedule;
  const answer = writeSchedule(call, panel);
  if (schedule.is_active !== is_active) schedule.is_processing = false;
  return answer;
});

const writeTask = aboutSchedule((call, panel, { tasks }) => {
  const { data } = TaskWrite.safeParse(parseJson(call.body));
  if (!data || (data.action !== 'backup' && !data.payload)) return invalidBody();
  const isNew = call.rest.endsWith('/tasks');
  if (isNew && tasks.length >= tasksMax) return refusal(400, 'ServiceLimitExceededException');
  if (data.action === 'backup' && call.attributes.feature_limits.backups === 0)
    return refusal(403, 'HttpForbiddenException');
  return writeThroughDemoPanel(call, panel, data);
});

/** Runs the first task at once and answers its refusal; runs the others after their delays. */
const execute = aboutSchedule((call, panel, schedule) => {
  const { tasks } = schedule;
  function runFrom(index: number): PanelAnswer {
    const task = tasks[index];
    const answer = task ? runTask(task, call, panel) : accepted;
    const hasFailed = (answer.status ?? 200) >= 400 && !task?.continue_on_failure;
    const next = tasks[index + 1];
    if (hasFailed || !next) {
      Object.assign(schedule, { is_processing: false, last_run_at: toAtom(panel.clock()) });
      return hasFailed ? answer : accepted;
    }
    if (next.time_offset > 0) panel.after(next.time_offset * 1000, () => runFrom(index + 1));
    else runFrom(index + 1);
    return accepted;
  }
  if (tasks.length === 0) return refusal(400, 'DisplayException');
  schedule.is_processing = true;
  return runFrom(schedule.only_when_online && isOff(call, panel) ? tasks.length : 0);
});

const accepted: PanelAnswer = { status: 202, body: [] };

/** A panel treats a server with an unreachable node as stopped. */
const isOff = ({ attributes, server }: EmulatedCall, { conditions }: EmulatedPanel) =>
  conditions.deadNodes.has(attributes.node) || ['offline', 'stopping'].includes(server.stats().current_state);

function runTask({ action, payload }: TaskAttributes, call: EmulatedCall, panel: EmulatedPanel): PanelAnswer {
  const { server } = call;
  const refused = refuseForNode(call, panel);
  if (refused) return refused;
  if (action === 'backup')
    return withinLimit('POST backups', call, {
      panel,
      answer: () => addRotated({ ...call, body: '' }, panel),
    });
  if (action === 'power' && !powerSignals.includes(payload)) return refusal(422, 'DaemonConnectionException');
  // Pelican ignores its node's answer.
  if (action === 'command' && panel.dialect === 'pterodactyl' && server.stats().current_state === 'offline')
    return refusal(502, 'DaemonConnectionException');
  if (action === 'power') server.signal(payload);
  if (action === 'command') server.enter(payload);
  return accepted;
}

const powerSignals = ['start', 'stop', 'restart', 'kill'];

/** A schedule's backup replaces the oldest unlocked one; a user's does not. */
function addRotated(call: EmulatedCall, panel: EmulatedPanel): PanelAnswer {
  const { server, attributes } = call;
  const oldest = server.backups.find(({ is_locked }) => !is_locked);
  if (attributes.feature_limits.backups > 0 && server.backups.length >= attributes.feature_limits.backups)
    server.backups = server.backups.filter((backup) => backup !== oldest);
  return addBackup(call, panel);
}

export const scheduleOverrides: Overrides = {
  'POST schedules': writeSchedule,
  'POST schedules/:id': changeSchedule,
  'POST schedules/:id/execute': execute,
  'POST schedules/:id/tasks': writeTask,
  'POST schedules/:id/tasks/:id': writeTask,
};
