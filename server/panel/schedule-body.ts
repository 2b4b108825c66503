/** Converts a schedule from and to the form of the client API. */
import { z } from 'zod';
import {
  type ScheduleChange,
  type StoredSchedule,
  type StoredTask,
  taskActions,
} from '../../routers/panel-port.ts';
import { cleanSingleLine, cleanText } from '../../routers/schemas/text.ts';
import { PanelFailure } from './failures.ts';
import { expecting, panelTime, parseBody } from './panel-api.ts';

/** Unchanged fields are sent exactly as the panel has them, including invisible characters. */
export function bodyOf(wanted: ScheduleChange, isActive: boolean, current: StoredSchedule | null) {
  const { name, cron, onlyWhenOnline } = wanted;
  const [minute, hour, day_of_month, month, day_of_week] = cron.split(' ');
  return {
    ...current?.fields,
    ...(name !== current?.name && { name }),
    ...(cron !== current?.cron && { minute, hour, day_of_month, month, day_of_week }),
    is_active: isActive,
    only_when_online: onlyWhenOnline,
  };
}

const shownTrimmed = (text: string) => cleanSingleLine(text).trim();

const flag = z.boolean().catch(false);
const time = panelTime.nullable().catch(null);
const cronField = z.coerce.string();

const TaskItem = z
  .object({
    attributes: z.object({
      id: z.int(),
      sequence_id: z.int(),
      action: z.string(),
      payload: z.string().nullable().catch(null),
      time_offset: z.int().catch(0),
      continue_on_failure: flag,
    }),
  })
  .transform(({ attributes: { action, payload, ...task } }): StoredTask => {
    const known = taskActions.find((name) => name === action);
    const shown = known === 'backup' ? cleanText : cleanSingleLine;
    return {
      id: task.id,
      sequence: task.sequence_id,
      action: known ?? 'other',
      payload: shown(payload ?? '').trim(),
      delaySeconds: task.time_offset,
      continueOnFailure: task.continue_on_failure,
    };
  });

const Attributes = z.object({
  id: z.int(),
  name: z.string(),
  cron: z.object({
    minute: cronField,
    hour: cronField,
    day_of_month: cronField,
    month: cronField,
    day_of_week: cronField,
  }),
  is_active: flag,
  is_processing: flag,
  only_when_online: flag,
  last_run_at: time,
  next_run_at: time,
  created_at: time,
});

function toSchedule(schedule: z.infer<typeof Attributes>, tasks: StoredTask[]): StoredSchedule {
  const { minute, hour, day_of_month, month, day_of_week } = schedule.cron;
  return Object.freeze({
    id: schedule.id,
    name: shownTrimmed(schedule.name),
    cron: shownTrimmed([minute, hour, day_of_month, month, day_of_week].join(' ')),
    fields: { name: schedule.name, ...schedule.cron },
    onlyWhenOnline: schedule.only_when_online,
    isActive: schedule.is_active,
    isProcessing: schedule.is_processing,
    lastRunAt: schedule.last_run_at,
    nextRunAt: schedule.next_run_at,
    createdAt: schedule.created_at,
    tasks: tasks.toSorted((one, other) => one.sequence - other.sequence),
  });
}

/** For responses to writes: the tasks are known, and are not read. */
export const readScheduleOf = (noun: string) =>
  expecting([200, 201], noun, (body) =>
    toSchedule(parseBody(z.object({ attributes: Attributes }), body).attributes, []),
  );

const ScheduleItem = z
  .object({
    attributes: Attributes.extend({
      relationships: z.object({ tasks: z.object({ data: z.array(TaskItem) }) }),
    }),
  })
  .transform(({ attributes }) => toSchedule(attributes, attributes.relationships.tasks.data));

/** A longer list is refused: the panel bounds neither the number nor the length of a customer's schedules. */
export const listBytesMax = 256 * 1024;
const listedMax = 100;

const List = z.object({ data: z.array(z.unknown()) });
const Items = z.array(ScheduleItem);

export const readSchedules = expecting([200], 'Server', (body) => {
  const { data } = parseBody(List, body);
  if (data.length > listedMax) throw new PanelFailure('tooManySchedules', { reason: `${data.length}` });
  return Object.freeze(parseBody(Items, data).sort((one, other) => one.id - other.id));
});

export const readSchedule = expecting([200], 'Schedule', (body) => parseBody(ScheduleItem, body));
