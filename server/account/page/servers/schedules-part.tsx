/** A server's schedules: lists them with their next run, and creates, switches, runs, edits and deletes them. */
import type { ReplacedTask, Schedule, ScheduleRequest, Server, TaskRequest } from '../api.ts';
import { ActionButton } from '../controls.tsx';
import { type Dialogs, type Question, useDialog } from '../dialog.tsx';
import { FailureNotice } from '../form.tsx';
import { Facts, Item } from '../item.tsx';
import { ListView } from '../list-view.tsx';
import { useAction, useShell } from '../shell.ts';
import { withNames } from '../text.tsx';
import { formatDateTime, formatRelativeTime, Time } from '../time.tsx';
import { useQuery } from '../use-query.ts';
import { cronOf, describeCron, everyNight } from './recurrence.ts';
import { ScheduleDialog } from './schedule-form.tsx';
import { backupRotation, backupTask, offeredTasks, Tasks } from './schedule-tasks.tsx';

const progressMs = 3000;

const nightly: ScheduleRequest = {
  name: 'Nightly backup',
  cron: cronOf(everyNight),
  tasks: [backupTask],
};

export function SchedulesPart({ server }: { server: Server }) {
  const { identifier: server_identifier, name } = server;
  const { dialog, ...dialogs } = useDialog();
  const query = useQuery((api) => api.servers.schedules.list.query({ server_identifier }), {
    pace: (list) => (list?.schedules.some(({ is_processing }) => is_processing) ? progressMs : 'on return'),
  });
  const { reload: onChanged } = query;
  const create = (schedule: ScheduleRequest) =>
    dialogs.show(<ScheduleDialog {...{ server, schedule, onChanged }} />);
  return (
    <>
      <div class="actions">
        <button type="button" class="button is-small" onClick={() => create({ ...nightly, name: '' })}>
          Create schedule<span class="visually-hidden"> for {name}</span>
        </button>
      </div>
      <ListView
        query={query}
        items={({ schedules }) => schedules}
        label={`Schedules of ${name}`}
        blank={{
          title: 'No schedules yet',
          text: 'A schedule makes backups, or starts, stops and restarts the server, at the times you choose.',
        }}
        create={{ label: 'Create nightly backup', onClick: () => create(nightly) }}
        item={(schedule) => <ScheduleItem key={schedule.id} {...{ server, schedule, dialogs, onChanged }} />}
      />
      {dialog}
    </>
  );
}

interface Props {
  server: Server;
  schedule: Schedule;
  /** The list's dialogs: a dialog of this item would vanish when a change removes the item from the list. */
  dialogs: Dialogs;
  onChanged(): Promise<unknown>;
}

const ScheduleItem = (props: Props) => {
  const { name, cron, only_when_online, is_active, is_processing, ...schedule } = props.schedule;
  const next = is_active ? schedule.next_run_at : null;
  const remove = () => props.dialogs.confirm(deletion(props));
  return (
    <Item
      title={name}
      about={
        <>
          <span class={is_active ? 'badge is-success' : 'badge'} role="status">
            {is_processing ? 'Running' : is_active ? 'On' : 'Off'}
          </span>
          <p>
            {describeCron(cron)} by the panel's clock{only_when_online && ', only while the server runs'}
          </p>
        </>
      }
      actions={
        <>
          <ChangeActions {...props} />
          <ActionButton icon="trash" label="Delete" about={name} isDangerous onAct={remove} />
        </>
      }
    >
      <Tasks of={schedule.tasks} label={`Tasks of ${name}`} />
      <ScheduleNotes schedule={props.schedule} />
      <Facts
        of={{
          'Next run, your time': next ? `${formatDateTime(next)}, ${formatRelativeTime(next)}` : 'None',
          'Last run': schedule.last_run_at ? <Time iso={schedule.last_run_at} isRelative /> : 'Never',
        }}
      />
    </Item>
  );
};

const ScheduleNotes = ({ schedule }: Pick<Props, 'schedule'>) => (
  <>
    {!offeredTasks(schedule.tasks) && (
      <p class="note">
        One of its tasks is not supported here, so you can edit or run the schedule only at the panel.
      </p>
    )}
    {isStuck(schedule) && (
      <p class="note is-danger">
        Its last run never ended, so the schedule no longer runs. Turn it off and on again to fix this.
      </p>
    )}
  </>
);

/** A run that goes on this long after the next one was due, not counting the delays of its tasks, is stuck. */
const patienceMs = 10 * 60_000;

/** When a run begins, the panel sets the time of the next one. It skips the next run if the earlier one has not ended. */
function isStuck({ is_active, is_processing, next_run_at, tasks }: Schedule): boolean {
  if (!is_active || !is_processing || next_run_at === null) return false;
  const delayMs = tasks.reduce((sum, { delay_seconds }) => sum + delay_seconds * 1000, 0);
  return Date.now() - Date.parse(next_run_at) > delayMs + patienceMs;
}

function ChangeActions(props: Props) {
  const { server, dialogs, onChanged } = props;
  const { name, is_active } = props.schedule;
  const offered = offeredTasks(props.schedule.tasks);
  const { api, notify } = useShell();
  const action = useAction();
  const toggle = () =>
    action.run(async () => {
      const tasks = props.schedule.tasks as ReplacedTask[]; // the API accepts tasks as it returned them
      const request = { ...props.schedule, tasks, is_active: !is_active, ...requestOf(props) };
      await api.servers.schedules.replace.mutate(request).finally(onChanged);
      notify(is_active ? withNames`${name} is off` : withNames`${name} is on`);
    });
  const edit = (tasks: TaskRequest[]) => {
    const schedule = { ...props.schedule, tasks };
    dialogs.show(<ScheduleDialog {...{ server, schedule, onChanged }} />);
  };
  return (
    <>
      {offered && (
        <ActionButton
          icon="play"
          label="Run now"
          about={name}
          onAct={() => dialogs.confirm(runQuestion(props))}
        />
      )}
      <ActionButton
        icon={is_active ? 'stop' : 'check'}
        label={is_active ? 'Turn off' : 'Turn on'}
        about={name}
        isBusy={action.isBusy}
        onAct={toggle}
      />
      {offered && <ActionButton icon="edit" label="Edit" about={name} onAct={() => edit(offered)} />}
      <FailureNotice of={action} />
    </>
  );
}

const requestOf = ({ server, schedule }: Props) => ({
  server_identifier: server.identifier,
  schedule_id: schedule.id,
});

const runQuestion = (props: Props): Question => ({
  title: withNames`Run ${props.schedule.name} now?`,
  text: [
    props.schedule.only_when_online
      ? 'Its tasks start at once if the server runs.'
      : 'Its tasks start at once.',
    ...(props.schedule.tasks.some(({ action }) => action === 'backup') ? [backupRotation] : []),
  ].join(' '),
  verb: 'Run now',
  async act(api) {
    await api.servers.schedules.run.mutate(requestOf(props)).finally(props.onChanged);
    return withNames`${props.schedule.name} is running`;
  },
});

const deletion = (props: Props): Question => ({
  title: withNames`Delete ${props.schedule.name}?`,
  text: 'It will not run again. This cannot be undone.',
  verb: 'Delete schedule',
  isDangerous: true,
  async act(api) {
    await api.servers.schedules.delete.mutate(requestOf(props));
    await props.onChanged();
    return withNames`${props.schedule.name} is deleted`;
  },
});
