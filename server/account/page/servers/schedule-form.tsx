/** The form of a schedule: its name, when it runs, and its tasks. */
import { useState } from 'preact/hooks';
import type { Api, Schedule, ScheduleRequest, Server } from '../api.ts';
import { FormDialog } from '../dialog.tsx';
import { InputField, SelectField } from '../field.tsx';
import { textOf } from '../fields.tsx';
import { withNames } from '../text.tsx';
import {
  clockOf,
  cronOf,
  everyNight,
  parseRecurrence,
  type Recurrence,
  repeats,
  weekdays,
} from './recurrence.ts';
import { TaskFields, tasksIn } from './schedule-tasks.tsx';

interface Props {
  server: Server;
  schedule: ScheduleRequest & Partial<Pick<Schedule, 'id'>>;
  onChanged(): Promise<unknown>;
}

export function ScheduleDialog({ server, schedule, onChanged }: Props) {
  const { id: schedule_id, is_active, name, cron, only_when_online, tasks } = schedule;
  const isNew = schedule_id === undefined;
  const send = async ({ servers: { schedules } }: Api, given: GivenSchedule, values: FormData) => {
    const timed = { ...given, cron: cronIn(values), tasks: tasksIn(values) };
    const request = { server_identifier: server.identifier, is_active, ...timed };
    const sent = isNew
      ? schedules.create.mutate(request)
      : schedules.replace.mutate({ ...request, schedule_id });
    // Also after a failure: a change that fails halfway leaves the schedule turned off.
    await sent.finally(onChanged);
    return isNew ? withNames`${request.name} is created` : withNames`${request.name} is changed`;
  };
  return (
    <FormDialog
      title={isNew ? 'Create schedule' : withNames`Edit ${name}`}
      label={isNew ? 'Create schedule' : 'Save'}
      request="servers.schedules.create"
      item={{ name, only_when_online }}
      fields={[
        { name: 'name', label: 'Name', missing: 'Give the schedule a name.' },
        <TimeFields key="time" cron={cron} />,
        { name: 'only_when_online', box: 'Only while the server runs' },
        <TaskFields key="tasks" tasks={tasks} />,
      ]}
      send={send}
    />
  );
}

type GivenSchedule = Pick<ScheduleRequest, 'name' | 'only_when_online'>;

const cronIn = (values: FormData) => textOf(values, 'cron').trim().replaceAll(/\s+/g, ' ');

const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

const choices = [
  ...repeats.map((every) => ({ value: every, label: `Every ${every}` })),
  { value: 'own', label: 'By cron fields' },
];

const optionsOf = (labels: readonly string[], first = 0) =>
  labels.map((label, index) => ({ value: String(first + index), label }));

const numbers = Array.from({ length: 60 }, (_, index) => String(index));

const details = {
  hour: { field: 'minute', label: 'At minute', options: optionsOf(numbers) },
  day: null,
  week: { field: 'weekday', label: 'On', options: optionsOf(weekdays) },
  month: { field: 'day', label: 'On day', options: optionsOf(numbers.slice(1, 32), 1) },
} as const;

/** Choosing a recurrence fills in the cron fields. Editing the cron fields chooses "By cron fields". */
function TimeFields({ cron: opened }: { cron: string }) {
  const [cron, setCron] = useState(opened);
  const [choice, setChoice] = useState<string>(parseRecurrence(opened)?.every ?? 'own');
  const time = parseRecurrence(cron) ?? everyNight;
  const set = (change: Partial<Recurrence>) => setCron(cronOf({ ...time, ...change }));
  const choose = (chosen: string) => {
    setChoice(chosen);
    const every = repeats.find((each) => each === chosen);
    if (every) set({ every });
  };
  return (
    <>
      <div class="tiles">
        <SelectField label="When" value={choice} options={choices} onChoose={choose} />
        {choice !== 'own' && <RecurrenceFields time={time} onSet={set} />}
      </div>
      <p class="note">
        Times are in the panel's time zone, which can differ from yours ({ownZone}). The list of schedules
        shows the next run in your time.
      </p>
      <InputField
        name="cron"
        label="Cron fields"
        hint="Minute, hour, day of the month, month and weekday."
        missing="Choose when it runs."
        spellcheck={false}
        value={cron}
        onInput={({ currentTarget }) => {
          setChoice('own');
          setCron(currentTarget.value);
        }}
      />
    </>
  );
}

type PlainProps = { time: Recurrence; onSet(change: Partial<Recurrence>): void };

function RecurrenceFields({ time, onSet }: PlainProps) {
  const detail = details[time.every];
  return (
    <>
      {detail && (
        <SelectField
          label={detail.label}
          value={String(time[detail.field])}
          options={detail.options}
          onChoose={(chosen) => onSet({ [detail.field]: Number(chosen) })}
        />
      )}
      {time.every !== 'hour' && (
        <InputField
          label="At"
          type="time"
          value={clockOf(time)}
          onInput={({ currentTarget: { value } }) => {
            const [hour = 0, minute = 0] = value.split(':').map(Number);
            if (value) onSet({ hour, minute });
          }}
        />
      )}
    </>
  );
}
